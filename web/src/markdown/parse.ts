/**
 * The Markdown that agents write, as data: nothing of it ever becomes HTML by itself.
 *
 * A part of CommonMark and its tables, read in one pass: text may be hostile, and the whole page must
 * stay small. What is not understood stays the text it is.
 */

export type Inline =
  | string
  | { type: "strong" | "em" | "strike"; inline: Inline[] }
  | { type: "code"; text: string }
  | { type: "link"; inline: Inline[]; href: string }
  | { type: "picture"; text: string; href: string };

export type Item = { number: number | null; done: boolean | null; blocks: Block[] };

export type Block =
  | { type: "heading"; depth: number; inline: Inline[] }
  | { type: "paragraph"; inline: Inline[] }
  | { type: "code"; info: string; text: string }
  | { type: "quote"; blocks: Block[] }
  | { type: "list"; ordered: boolean; items: Item[] }
  | { type: "table"; header: Inline[][]; rows: Inline[][][] }
  | { type: "rule" };

/** Deeper than anybody reads. */
const DEEPEST = 6;

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const HEADING = /^ {0,3}(#{1,6})[ \t]/;
const RULE = /^ {0,3}([-*_])([ \t]*\1){2,}[ \t]*$/;
const QUOTE = /^ {0,3}> ?/;
const ITEM = /^( {0,3})([-*+]|\d{1,9}[.)])([ \t]+|$)/;
const TASK = /^\[([ xX])\][ \t]+/;
const DIVIDER = /^:?-+:?$/;

export function parse(text: string): Block[] {
  return blocksOf(text.split("\n"), 0);
}

function blocksOf(lines: string[], depth: number): Block[] {
  const blocks: Block[] = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at]!;
    if (!line.trim()) at += 1;
    else at = take(lines, at, depth, blocks);
  }
  return blocks;
}

/** Takes the block that begins at a line; returns where the next one may. */
function take(lines: string[], at: number, depth: number, blocks: Block[]): number {
  const line = lines[at]!;
  const fence = FENCE.exec(line)?.[1];
  if (fence) return takeCode(lines, at, fence, blocks);
  const heading = HEADING.exec(line);
  if (heading) {
    blocks.push({ type: "heading", depth: heading[1]!.length, inline: inlineOf(headingText(line.slice(heading[0].length))) });
    return at + 1;
  }
  if (RULE.test(line)) {
    blocks.push({ type: "rule" });
    return at + 1;
  }
  if (depth < DEEPEST && QUOTE.test(line)) return takeQuote(lines, at, depth, blocks);
  if (depth < DEEPEST && ITEM.test(line)) return takeList(lines, at, depth, blocks);
  if (line.includes("|") && isDivider(lines[at + 1] ?? "")) return takeTable(lines, at, blocks);
  return takeParagraph(lines, at, depth, blocks);
}

/** Without the signs that may close it. */
function headingText(rest: string): string {
  let text = rest.trim();
  while (text.endsWith("#")) text = text.slice(0, -1);
  return text.trimEnd();
}

function isDivider(line: string): boolean {
  return line.includes("-") && cellsOf(line).every((cell) => DIVIDER.test(cell));
}

function takeCode(lines: string[], at: number, fence: string, blocks: Block[]): number {
  const ends = (line: string) => line.trim().startsWith(fence) && !line.trim().slice(fence.length).replaceAll(fence[0]!, "");
  let end = at + 1;
  while (end < lines.length && !ends(lines[end]!)) end += 1;
  const info = lines[at]!.trim().slice(fence.length).trim();
  blocks.push({ type: "code", info, text: lines.slice(at + 1, end).join("\n") });
  return end + 1;
}

function takeQuote(lines: string[], at: number, depth: number, blocks: Block[]): number {
  let end = at;
  while (end < lines.length && QUOTE.test(lines[end]!)) end += 1;
  const inner = lines.slice(at, end).map((line) => line.replace(QUOTE, ""));
  blocks.push({ type: "quote", blocks: blocksOf(inner, depth + 1) });
  return end;
}

function takeList(lines: string[], at: number, depth: number, blocks: Block[]): number {
  const first = ITEM.exec(lines[at]!)!;
  const ordered = /\d/.test(first[2]!);
  const items: Item[] = [];
  let next = at;
  while (next < lines.length) {
    const marker = ITEM.exec(lines[next]!);
    if (!marker || /\d/.test(marker[2]!) !== ordered || RULE.test(lines[next]!)) break;
    const width = marker[0].length;
    let end = next + 1;
    while (end < lines.length && continues(lines, end, width)) end += 1;
    const own = [lines[next]!.slice(width), ...lines.slice(next + 1, end).map((line) => outdented(line, width))];
    const task = TASK.exec(own[0]!);
    if (task) own[0] = own[0]!.slice(task[0].length);
    items.push({ number: ordered ? Number.parseInt(marker[2]!, 10) : null, done: task ? task[1] !== " " : null, blocks: blocksOf(own, depth + 1) });
    next = end;
  }
  blocks.push({ type: "list", ordered, items });
  return next;
}

/** Whether a line still belongs to an item whose text is indented by so much. */
function continues(lines: string[], at: number, width: number): boolean {
  const line = lines[at]!;
  const indented = (one: string) => one.search(/\S/) >= Math.min(width, 2);
  if (!line.trim()) return indented(lines[at + 1] ?? "");
  if (indented(line)) return true;
  // A line that goes on without indent, as people write it.
  return lines[at - 1]!.trim() !== "" && !begins(line);
}

function outdented(line: string, width: number): string {
  const indent = line.search(/\S/);
  return line.slice(Math.min(Math.max(indent, 0), width));
}

/** Whether a line begins a block of its own, even right behind a paragraph. */
function begins(line: string): boolean {
  return FENCE.test(line) || HEADING.test(line) || RULE.test(line) || QUOTE.test(line) || ITEM.test(line);
}

function takeTable(lines: string[], at: number, blocks: Block[]): number {
  let end = at + 2;
  while (end < lines.length && lines[end]!.includes("|")) end += 1;
  const header = cells(lines[at]!);
  const rows = lines.slice(at + 2, end).map(cells);
  // A row keeps all of its cells: none is dropped for want of a heading.
  const filled = (row: Inline[][]) => [...row, ...header.slice(row.length).map(() => [])];
  blocks.push({ type: "table", header, rows: rows.map(filled) });
  return end;
}

function cells(line: string): Inline[][] {
  return cellsOf(line).map((cell) => inlineOf(cell.replaceAll("\\|", "|")));
}

function cellsOf(line: string): string[] {
  const bare = line.trim().replace(/^\|/, "").replace(/\|$/, "");
  return bare.split(/(?<!\\)\|/).map((cell) => cell.trim());
}

function takeParagraph(lines: string[], at: number, depth: number, blocks: Block[]): number {
  let end = at + 1;
  // Too deep for lists and quotes, their marks are text like any.
  const stops = (line: string) => !line.trim() || (depth < DEEPEST && begins(line));
  while (end < lines.length && !stops(lines[end]!)) end += 1;
  blocks.push({ type: "paragraph", inline: inlineOf(lines.slice(at, end).map((line) => line.trim()).join("\n")) });
  return end;
}

const PAIRS = [
  ["**", "strong"],
  ["__", "strong"],
  ["~~", "strike"],
  ["*", "em"],
  ["_", "em"],
] as const;

const LINK = /^\[((?:[^\[\]\\]|\\.)*)\]\(\s*<?([^\s()<>]*(?:\([^\s()]*\)[^\s()<>]*)*)>?(?:\s+(?:"[^"\n]*"|'[^'\n]*'))?\s*\)/;
const ADDRESS = /^https?:\/\/[^\s<>"'`]*[^\s<>"'`.,;:!?)\]}*_~]/;
/** A link longer than this is not looked for. */
const LONGEST_LINK = 4_000;

export function inlineOf(text: string, depth = 0): Inline[] {
  const out: Inline[] = [];
  let plain = "";
  // Whatever has no end further on is not looked for again: hostile text is read in one pass, too.
  const endless = new Set<string>();
  const push = (inline: Inline) => {
    if (plain) out.push(plain);
    plain = "";
    out.push(inline);
  };
  let at = 0;
  while (at < text.length) {
    const found = depth < DEEPEST ? span(text, at, depth, endless) : null;
    if (!found) {
      const escaped = text[at] === "\\" && /[!-/:-@[-`{-~]/.test(text[at + 1] ?? "");
      plain += text[escaped ? at + 1 : at];
      at += escaped ? 2 : 1;
    } else {
      push(found.inline);
      at = found.end;
    }
  }
  if (plain) out.push(plain);
  return out;
}

type Found = { inline: Inline; end: number };

function span(text: string, at: number, depth: number, endless: Set<string>): Found | null {
  switch (text[at]) {
    case "`":
      return codeSpan(text, at, endless);
    case "[":
    case "!":
      return link(text, at, depth);
    case "*":
    case "_":
    case "~":
      return emphasis(text, at, depth, endless);
    case "h":
      return address(text, at);
    default:
      return null;
  }
}

function codeSpan(text: string, at: number, endless: Set<string>): Found | null {
  const ticks = /^`+/.exec(text.slice(at, at + 20))![0];
  if (endless.has(ticks)) return null;
  let end = text.indexOf(ticks, at + ticks.length);
  while (end >= 0 && text[end + ticks.length] === "`") end = text.indexOf(ticks, runEnd(text, end));
  if (end < 0) {
    endless.add(ticks);
    return null;
  }
  const inner = text.slice(at + ticks.length, end);
  const padded = /^ .*[^ ].* $/s.test(inner.slice(0, 200)) && inner.endsWith(" ");
  return { inline: { type: "code", text: padded ? inner.slice(1, -1) : inner }, end: end + ticks.length };
}

function runEnd(text: string, at: number): number {
  let end = at;
  while (text[end] === "`") end += 1;
  return end;
}

function link(text: string, at: number, depth: number): Found | null {
  const isPicture = text[at] === "!";
  if (isPicture && text[at + 1] !== "[") return null;
  const from = isPicture ? at + 1 : at;
  const found = LINK.exec(text.slice(from, from + LONGEST_LINK));
  if (!found) return null;
  const [whole, label, href] = found as unknown as [string, string, string];
  const end = from + whole.length;
  if (isPicture) return { inline: { type: "picture", text: label, href }, end };
  return { inline: { type: "link", inline: inlineOf(label, depth + 1), href }, end };
}

function emphasis(text: string, at: number, depth: number, endless: Set<string>): Found | null {
  for (const [mark, type] of PAIRS) {
    if (!text.startsWith(mark, at) || endless.has(mark)) continue;
    const from = at + mark.length;
    if (/\s|^$/.test(text[from] ?? "") || (mark[0] === "_" && /\w/.test(text[at - 1] ?? ""))) continue;
    const end = closing(text, from, mark);
    if (end < 0) {
      endless.add(mark);
      continue;
    }
    const inline = inlineOf(text.slice(from, end), depth + 1);
    return { inline: { type, inline }, end: end + mark.length };
  }
  return null;
}

function closing(text: string, from: number, mark: string): number {
  for (let end = text.indexOf(mark, from + 1); end >= 0; end = text.indexOf(mark, end + 1)) {
    const after = text[end + mark.length] ?? "";
    const doubled = mark.length === 1 && (after === mark || text[end - 1] === mark);
    if (!doubled && !/\s/.test(text[end - 1]!) && !(mark[0] === "_" && /\w/.test(after))) return end;
  }
  return -1;
}

function address(text: string, at: number): Found | null {
  if (/\w/.test(text[at - 1] ?? "")) return null;
  const href = ADDRESS.exec(text.slice(at, at + LONGEST_LINK))?.[0];
  return href ? { inline: { type: "link", inline: [href], href }, end: at + href.length } : null;
}
