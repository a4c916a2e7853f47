/** What a person has typed into a draft. */

import type { DraftJson } from "../generated/v1";

export function wordsOf(draft: DraftJson): string[] {
  const typed = draft.answers.flatMap((answer) => [answer.words, answer.notes]);
  return [...typed, draft.message, draft.input].filter((text): text is string => !!text?.trim());
}

/** Whether the first has words that are not in the second; what was typed on from there has them. */
export function loses(first: DraftJson, second: DraftJson): boolean {
  const there = wordsOf(second);
  return wordsOf(first).some((text) => !there.some((other) => other.includes(text)));
}
