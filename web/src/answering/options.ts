/** What the labels of options say beside themselves; the same rules as in the crate `question`. */

import type { OptionJson, QuestionJson } from "../generated/v1";

const RECOMMENDED = /^(.*\S)\s*\(recommended\)\s*$/is;

/** The label without a final `(Recommended)`, which is shown apart; null when it has none. */
export function withoutRecommended(label: string): string | null {
  return RECOMMENDED.exec(label)?.[1] ?? null;
}

/** Whether this is the agent's own "Other": the card always offers one, so it is not doubled. */
export function isOther(option: OptionJson): boolean {
  const label = option.label.trim().replace(/[.…:]+$/, "").trimEnd();
  const [head, rest] = cut(label);
  const bare = /specify|recommended|type|describe/i.test(rest) ? head.trimEnd() : label;
  return bare.toLowerCase() === "other";
}

function cut(label: string): [string, string] {
  const at = label.indexOf("(");
  return at < 0 ? [label, ""] : [label.slice(0, at), label.slice(at + 1)];
}

/** The options a person chooses from: all but the agent's own "Other". */
export function choices(question: QuestionJson): OptionJson[] {
  return (question.options ?? []).filter((option) => !isOther(option));
}

/** The place of an option among those the agent sent. */
export function placeOf(question: QuestionJson, option: OptionJson): number {
  return (question.options ?? []).indexOf(option);
}
