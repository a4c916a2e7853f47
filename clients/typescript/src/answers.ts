import { HandraiseError } from "./errors.js";
import { read } from "./parts.js";
import { type Question, choices, trim } from "./questions.js";

/** A label, own words or both as one string; several of them; or null, for a question left open. */
export type Said = string | readonly string[] | null;

/** The answers in the order of the questions. Each question must have one, and nothing else may. */
export function toApi(questions: Question[], said: Record<string, Said>): object[] {
  const texts = questions.map(({ question }) => question);
  for (const key of Object.keys(said)) {
    if (!texts.includes(key)) {
      throw wrong(`${JSON.stringify(key)} names no question; allowed: ${JSON.stringify(texts)}`);
    }
  }
  return questions.map((question) => one(question, said[question.question]));
}

function one(question: Question, said: Said | undefined): object {
  const name = JSON.stringify(question.question);
  if (said === undefined) {
    throw wrong(`${name} has no answer; null leaves it open`);
  }
  if (said === null) {
    return { leftOpen: true };
  }
  const text = typeof said === "string";
  const { selected, words } = text ? read(question, said) : sorted(question, said);
  if (selected.length === 0 && trim(words ?? "") === "") {
    throw wrong(`${name} is answered with nothing; null leaves it open`);
  }
  return { selected, words };
}

function sorted(question: Question, said: readonly string[]) {
  const labels = choices(question).map((option) => option.label);
  const words = said.filter((one) => !labels.includes(one)).join(", ");
  return { selected: said.filter((one) => labels.includes(one)), words: words || null };
}

function wrong(message: string): HandraiseError {
  return new HandraiseError("invalid", `answers: ${message}`);
}
