import { expect, test } from "vitest";

import samples from "../generated/hidden_samples.json";
import { escaped, oneLine, visible, visibleExactly } from "./visible";

/** What this engine's Unicode says hides: the oracle is not the table that is tested. */
const HIDES = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}]/u;
/** Blank by their glyph alone, counted as no width by terminals, or a mark of some script, which has no place on an ASCII letter. */
const BLANK = /[\u0d4e\u{111c2}\u{111c3}\u{113d1}\u{1193f}\u{11941}\u{11a84}-\u{11a89}\u{11d46}\u{11f02}\uff9e\uff9f\u2800\ufffc\u{1107f}\u{13440}-\u{13442}\u{16fe4}\u{1d159}]/u;
const STRAY = /(?![\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f])[\p{M}\u1161-\u11ff\ud7b0-\ud7ff]/u;

function mark(code: number): string {
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  return code === 0x7f ? "␡" : `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
}

test("text is drawn as the terminal draws it", () => {
  for (const [text, prose, exactly] of samples) {
    expect([visible(text!), visibleExactly(text!)]).toEqual([prose, exactly]);
  }
});

test("no character of Unicode hides in a command", () => {
  const wrong = [];
  for (let code = 0; code <= 0x10ffff; code++) {
    const c = String.fromCodePoint(code);
    if (c === " " || c === "\n" || c === "\t") continue;
    const text = `g${c}it status`;
    const expected = HIDES.test(c) || BLANK.test(c) || STRAY.test(c) ? `g${mark(code)}it status` : text;
    if (visible(text) !== expected || visibleExactly(text) !== expected) wrong.push(code.toString(16));
  }
  expect(wrong).toEqual([]);
}, 60_000);

test("on one line, a hidden character is no blank", () => {
  expect(oneLine(" a\n\n  b ")).toBe("a b");
  expect(oneLine("git\u2028status\u00a0x\u3000y")).toBe("git<U+2028>status<U+00A0>x<U+3000>y");
  expect(oneLine("ls\u00a0; x", visibleExactly)).toBe("ls<U+00A0>; x");
});

test("an input to edit shows what hides, and is the same input", () => {
  const input = { command: "g\u200bit\u{e0100} \u0300\u094d\n\u0007", "na\u00a0me": "日本\u3000語" };
  const text = escaped(JSON.stringify(input, null, 2));
  expect(text).toContain(String.raw`g\u200bit\udb40\udd00 `);
  expect(text).toContain(String.raw`"na\u00a0me"`);
  expect(JSON.parse(text)).toEqual(input);
});
