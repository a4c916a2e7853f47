/** Whether what is drawn of a Markdown text says all of it. */

import type { Block, Inline } from "./parse";

/** With more columns a table does not fit a phone. */
const MOST_COLUMNS = 6;

/**
 * Whether every letter and digit of `text` is in what is drawn of its `blocks`, with whole addresses. The
 * title of a link, for one, is not drawn; a model that follows a plan reads it all the same.
 */
export function saysAll(text: string, blocks: Block[]): boolean {
  return bare(text) === bare(drawn(blocks)) && !blocks.some(isTooWide);
}

/** Without the signs that Markdown is made of. */
const bare = (text: string) => text.replace(/[\s!-/:-@[-`{-~]/g, "").toLowerCase();

function drawn(blocks: Block[]): string {
  return blocks.map(block).join(" ");
}

function block(part: Block): string {
  switch (part.type) {
    case "heading":
    case "paragraph":
      return inline(part.inline);
    case "code":
      return part.info + part.text;
    case "quote":
      return drawn(part.blocks);
    case "list":
      return part.items.map((item, i) => (part.ordered ? part.start + i : "") + (item.done ? "x" : "") + drawn(item.blocks)).join(" ");
    case "table":
      return [part.header, ...part.rows].flat().map(inline).join(" ");
    case "rule":
      return "";
  }
}

function inline(parts: Inline[]): string {
  const one = (part: Inline): string => {
    if (typeof part === "string") return part;
    if (part.type === "code") return part.text;
    if (part.type === "picture") return part.text + part.href;
    const inner = inline(part.inline);
    return part.type === "link" && part.inline[0] !== part.href ? inner + part.href : inner;
  };
  return parts.map(one).join("");
}

function isTooWide(part: Block): boolean {
  if (part.type === "table") return [part.header, ...part.rows].some((row) => row.length > MOST_COLUMNS);
  if (part.type === "quote") return part.blocks.some(isTooWide);
  return part.type === "list" && part.items.some((item) => item.blocks.some(isTooWide));
}
