/** Making agent text safe to look at: what would hide or reorder text is shown as what it is. */

// Controls other than tab and newline, and characters that reorder text or take no room. Joiners and
// selectors stay: emoji and several scripts are written with them.
const HIDING =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\u2800\u3164\ufeff\uffa0\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;

/** More marks than this on one letter reach into other lines. */
const PILES = /(\p{M}{8})\p{M}+/gu;

/** The text with nothing in it that hides: `␛` for escape, `<U+202E>` for a reversal. */
export function visible(text: string): string {
  return text.replace(/\r\n/g, "\n").replace(/[\u2028\u2029]/g, "\n").replace(HIDING, shown).replace(PILES, "$1…");
}

function shown(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return "␡";
  return `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
}

/** On one line, however many it has. */
export function oneLine(text: string): string {
  return visible(text).replace(/\s+/g, " ").trim();
}
