import { expect, test } from "vitest";

import type { QuestionJson } from "../generated/v1";
import { answerOf, choiceOf, draftOf, isComplete, spoken, untouched } from "./answer";
import { choices, isOther, withoutRecommended } from "./options";

const question = (multiSelect: boolean, ...labels: string[]): QuestionJson => ({
  question: "Which?",
  header: "Which",
  multiSelect,
  options: labels.map((label) => ({ label })),
});

test("recommended is recognised at the end of a label only", () => {
  expect(withoutRecommended("PostgreSQL (Recommended)")).toBe("PostgreSQL");
  expect(withoutRecommended("PostgreSQL(recommended) ")).toBe("PostgreSQL");
  expect(withoutRecommended("日本 (Recommended)")).toBe("日本");
  for (const label of ["(Recommended) PostgreSQL", "(Recommended)", "é"]) {
    expect(withoutRecommended(label)).toBeNull();
  }
});

test("the agent's own other is recognised however it is spelled", () => {
  for (const label of ["Other", "other", " OTHER ", "Other…", "Other...", "Other:", "Other (Recommended)", "Other (please specify)"]) {
    expect(isOther({ label }), label).toBe(true);
  }
  for (const label of ["Others", "Another", "Other database", "Other (MySQL)"]) {
    expect(isOther({ label }), label).toBe(false);
  }
  expect(choices(question(false, "A", "Other")).map((option) => option.label)).toEqual(["A"]);
});

test("labels go in the agent's order, whatever order they were ticked in, and words beside them", () => {
  const asked = question(true, "A", "B", "C");
  const choice = { ...untouched(), selected: ["C", "A"], other: true, words: "and D" };
  expect(answerOf(asked, choice)).toEqual({ selected: ["A", "C"], words: "and D", notes: null, leftOpen: false });
});

test("words that are not chosen are kept, and not sent", () => {
  const choice = { ...untouched(), selected: ["A"], words: "B, perhaps" };
  expect(answerOf(question(false, "A"), choice).words).toBeNull();
  expect(draftOf(choice).words).toBe("B, perhaps");
});

test("what is left open sends its note alone", () => {
  const choice = { ...untouched(), selected: ["A"], other: true, words: "B", notes: "later", leftOpen: true };
  expect(answerOf(question(true, "A"), choice)).toEqual({ selected: [], words: null, notes: "later", leftOpen: true });
});

test("only what is answered or left open is complete", () => {
  const asked = question(true, "A", "B");
  expect(isComplete(asked, untouched())).toBe(false);
  expect(isComplete(asked, { ...untouched(), notes: "n" })).toBe(false);
  expect(isComplete(asked, { ...untouched(), other: true, words: " \n" })).toBe(false);
  expect(isComplete(asked, { ...untouched(), selected: ["A"], other: true })).toBe(false);
  expect(isComplete(asked, { ...untouched(), selected: ["not there"] })).toBe(false);
  expect(isComplete(asked, { ...untouched(), selected: ["A"] })).toBe(true);
  expect(isComplete(asked, { ...untouched(), other: true, words: "x" })).toBe(true);
  expect(isComplete(asked, { ...untouched(), leftOpen: true })).toBe(true);
});

test("a draft comes back as it was", () => {
  const multi = { ...untouched(), selected: ["A"], other: true, words: "w", notes: "n" };
  expect(choiceOf(question(true, "A"), draftOf(multi))).toEqual(multi);
  const single = { ...untouched(), selected: ["A"], words: "set aside" };
  expect(choiceOf(question(false, "A"), draftOf(single))).toEqual(single);
  const unticked = { ...untouched(), selected: ["A"], words: "set aside" };
  expect(choiceOf(question(true, "A"), draftOf(unticked))).toEqual(unticked);
  expect(choiceOf(question(false, "A"), undefined)).toEqual(untouched());
});

test("a label is spoken without recommended, unless another would read the same", () => {
  const chosen = (label: string) => ({ selected: [label], words: null, notes: null, leftOpen: false });
  expect(spoken(question(false, "A (Recommended)", "B"), chosen("A (Recommended)"))).toBe("A");
  expect(spoken(question(false, "A (Recommended)", "A"), chosen("A (Recommended)"))).toBe("A (Recommended)");
});
