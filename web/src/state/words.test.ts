import { expect, test } from "vitest";

import type { DraftJson } from "../generated/v1";
import { loses, wordsOf } from "./words";

const draft = (words: string | null, more: Partial<DraftJson> = {}): DraftJson => ({
  version: 1,
  answers: [{ selected: ["A"], words, notes: null, leftOpen: false }],
  message: null,
  input: null,
  ...more,
});

test("everything that was typed counts, and nothing else", () => {
  expect(wordsOf(draft("w", { message: "m", input: "{}" }))).toEqual(["w", "m", "{}"]);
  expect(wordsOf(draft(null))).toEqual([]);
  expect(wordsOf(draft("  "))).toEqual([]);
});

test("whoever typed on from the same words loses none of them", () => {
  expect(loses(draft("hello"), draft("hello world"))).toBe(false);
  expect(loses(draft("hello world"), draft("hello"))).toBe(true);
  expect(loses(draft("a", { input: '{"x":1}' }), draft("a"))).toBe(true);
  expect(loses(draft(null), draft("a"))).toBe(false);
});
