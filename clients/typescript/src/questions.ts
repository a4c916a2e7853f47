/** A question as the agent wrote it. It may hold more than is known here, and goes back whole. */
export interface Question {
  question: string;
  options?: Option[];
  multiSelect?: boolean;
}

/** One thing a person can choose. */
export interface Option {
  label: string;
  preview?: string;
}

/** What a person answered to one question. */
export interface Answer {
  selected: string[];
  words: string | null;
  notes: string | null;
  leftOpen: boolean;
}

const ASKS_FOR_WORDS = ["specify", "recommended", "type", "describe"];

/** The options a person chooses from: all but the agent's own "Other". */
export function choices(question: Question): Option[] {
  return (question.options ?? []).filter((option) => !isOther(option.label));
}

/** Without what Unicode calls white space at either end; `String.trim` takes other characters. */
export function trim(text: string): string {
  return text.replace(/^\p{White_Space}+/u, "").replace(/\p{White_Space}+$/u, "");
}

function isOther(option: string): boolean {
  let label = trim(trim(option).replace(/[.…:]+$/u, ""));
  const bracket = label.indexOf("(");
  const rest = asciiLower(label.slice(bracket + 1));
  // "Other (please specify)" asks for words; "Other (MySQL)" is an option like any.
  if (bracket >= 0 && ASKS_FOR_WORDS.some((word) => rest.includes(word))) {
    label = trim(label.slice(0, bracket));
  }
  return asciiLower(label) === "other";
}

function asciiLower(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
