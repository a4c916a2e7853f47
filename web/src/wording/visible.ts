/** Making agent text safe to look at: what would hide or reorder text is shown as what it is. */

import { COMMON_MARKS, HIDDEN, IDEOGRAPHS, JOINING, MAX_PILE } from "../generated/hidden";

const EMOJI = String.raw`(?![\0-\x7f])\p{Emoji}`;

/** Where prose needs a hidden character: `is_needed` of crates/question/src/hidden.rs. */
const NEEDED = [
  `\r(?=\n)`,
  `(?<=[${JOINING}])[\u200b-\u200d](?=[${JOINING}])`,
  `(?<=${EMOJI}\ufe0f?)\u200d(?=${EMOJI})`,
  `(?<=${EMOJI})[\ufe0e\ufe0f]`,
  `(?<=[0-9#*])\ufe0f(?=\u20e3)`,
  `(?<=[${IDEOGRAPHS}])[\ufe00-\ufe02\u{e0100}-\u{e01ef}\u3000]`,
  `\u3000(?=[${IDEOGRAPHS}])`,
  `[\xa0\u202f](?=[!?:;»%€])|(?<=«)[\xa0\u202f]|(?<=\\d)[\xa0\u202f](?=\\d)`,
].join("|");

/** What is drawn on the character before it: marks, and vowels and finals of Hangul. */
const COMBINING = String.raw`[\p{M}\u1161-\u11ff\ud7b0-\ud7ff]`;

/** Something like that on an ASCII letter, where a font may draw the bare letter. */
const STRAY = String.raw`(?![${HIDDEN}${COMMON_MARKS}])${COMBINING}(?<=[\0-\x7f]${COMBINING}+)`;

const IN_PROSE = new RegExp(`(?!${NEEDED})[${HIDDEN}]|${STRAY}`, "gu");
const ANYWHERE = new RegExp(`[\\t${HIDDEN}]|${STRAY}`, "gu");
const PILES = new RegExp(`(${COMBINING}{${MAX_PILE}})(${COMBINING}+)`, "gu");

/** Prose with nothing in it that hides: `␛` for escape, `<U+202E>` for a reversal. */
export function visible(text: string): string {
  return marked(text, IN_PROSE).replaceAll("\r\n", "\n");
}

/** The same for text to which every character counts, such as the input of a tool: without exception, tabs and spaces at a line's end included. */
export function visibleExactly(text: string): string {
  return marked(text, ANYWHERE).replace(/ +$/gm, ({ length }) => "␠".repeat(length));
}

/** JSON in which every hidden character is written as an escape: a text field draws what it holds. */
export function escaped(json: string): string {
  const unit = (c: string) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return json.replace(ANYWHERE, (character) => character.split("").map(unit).join(""));
}

function marked(text: string, hidden: RegExp): string {
  return text.replace(hidden, mark).replace(PILES, (_, kept, rest) => kept + [...rest].map(mark).join(""));
}

function mark(character: string): string {
  const code = character.codePointAt(0)!;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return "␡";
  return `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
}

/** On one line, however many it has. */
export function oneLine(text: string, shown = visible): string {
  return shown(text).replace(/\s+/g, " ").trim();
}
