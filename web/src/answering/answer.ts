/** What a person has chosen and typed so far, and what of it will be sent. */

import type { AnswerJson, QuestionJson } from "../generated/v1";
import { choices, withoutRecommended } from "./options";

/** The state of one question's form. Words that are not ticked are kept, but not sent. */
export type Choice = {
  selected: string[];
  /** Whether "Other" is chosen. */
  other: boolean;
  words: string;
  notes: string;
  leftOpen: boolean;
};

export const untouched = (): Choice => ({
  selected: [],
  other: false,
  words: "",
  notes: "",
  leftOpen: false,
});

export function isUntouched(choice: Choice): boolean {
  return !choice.selected.length && !choice.words && !choice.notes && !choice.leftOpen;
}

/** Whether it answers its question, or leaves it open on purpose. */
export function isComplete(question: QuestionJson, choice: Choice): boolean {
  if (choice.leftOpen) return true;
  const words = choice.other && choice.words.trim() !== "";
  // An "Other" that was chosen and is still empty is not finished, whatever else is ticked.
  if (choice.other && !words) return false;
  return words || chosen(question, choice).length > 0;
}

function chosen(question: QuestionJson, choice: Choice): string[] {
  return choices(question).map((option) => option.label).filter((label) => choice.selected.includes(label));
}

/** What will be sent. */
export function answerOf(question: QuestionJson, choice: Choice): AnswerJson {
  const notes = choice.notes.trim() ? choice.notes.toWellFormed() : null;
  if (choice.leftOpen) return { selected: [], words: null, notes, leftOpen: true };
  const words = choice.other && choice.words.trim() ? choice.words.toWellFormed() : null;
  return { selected: chosen(question, choice), words, notes, leftOpen: false };
}

/** Among the ticks of a draft, the tick at "Other": no option to choose is called that. */
const OTHER = "Other";

/** What is kept as a draft: everything, the words that are not ticked included. */
export function draftOf(choice: Choice): AnswerJson {
  const { words, notes, leftOpen, other } = choice;
  const selected = other ? [...choice.selected, OTHER] : [...choice.selected];
  return { selected, words: words || null, notes: notes || null, leftOpen };
}

/** A choice from what was kept; words alone are chosen, even where the tick is not told. */
export function choiceOf(question: QuestionJson, draft: AnswerJson | undefined): Choice {
  if (!draft) return untouched();
  const { words, notes, leftOpen } = draft;
  const offered = new Set(choices(question).map((option) => option.label));
  const selected = draft.selected.filter((label) => offered.has(label));
  const other = draft.selected.includes(OTHER) || (!!words && selected.length === 0);
  return { selected, other, words: words ?? "", notes: notes ?? "", leftOpen };
}

/** An answer in one line. */
export function spoken(question: QuestionJson, answer: AnswerJson): string {
  if (answer.leftOpen) return "left open on purpose";
  const labels = answer.selected.map((label) => spokenLabel(question, label));
  const words = answer.words === null ? [] : [`“${answer.words}”`];
  return [...labels, ...words].join(", ");
}

/** Without `(Recommended)`, unless another option would then read the same. */
export function spokenLabel(question: QuestionJson, label: string): string {
  const short = withoutRecommended(label);
  if (short === null || choices(question).some((option) => option.label === short)) return label;
  return short;
}

/** What a question is called where only a short name fits. */
export function nameOf(question: QuestionJson): string {
  return question.header?.trim() || question.question;
}
