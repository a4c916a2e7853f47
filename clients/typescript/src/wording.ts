/** What the model reads: one resolution, as the SDK takes it. Nothing but an answer is an allow. */
import { write } from "./parts.js";
import { type Answer, type Question, choices, trim } from "./questions.js";
import type { Resolution } from "./responses.js";

const LEFT_OPEN = "The person left this question open on purpose.";
const THEIR_NOTE = " Their note: ";

/** The input of the call, with the person's answers keyed by the exact question text. */
export function answered(questions: Question[], answers: Answer[]): Record<string, unknown> {
  if (questions.length !== answers.length) {
    throw new Error(`${answers.length} answers to ${questions.length} questions`);
  }
  const said: Record<string, string> = {};
  const annotations: Record<string, Annotation> = {};
  questions.forEach((question, i) => {
    const answer = answers[i] as Answer;
    if (!answer.leftOpen) {
      said[question.question] = write(question, answer.selected, answer.words);
    }
    const annotation = annotated(question, answer);
    if (Object.keys(annotation).length > 0) {
      annotations[question.question] = annotation;
    }
  });
  const updated = { questions, answers: said };
  return Object.keys(annotations).length > 0 ? { ...updated, annotations } : updated;
}

/** The words for questions without an answer. */
export function notAnswered(resolution: Resolution): string {
  switch (resolution.kind) {
    case "declined":
      return (
        `The person declined to answer${afterColon(resolution.reason)}. ` +
        "No option was chosen; do not assume one."
      );
    case "discuss":
      return (
        `The person wants to talk first${afterColon(resolution.words)}. ` +
        "No option was chosen. Answer them, then ask again if you still need it."
      );
    case "no_answer":
      return (
        `Nobody answered within ${resolution.afterSeconds} s. ` +
        "This is neither a choice nor consent. Do not choose for the person."
      );
    case "withdrawn":
      return (
        `The question was withdrawn before anybody answered${afterColon(resolution.reason)}. ` +
        "No option was chosen; do not assume one."
      );
    case "answered":
      throw new Error("an answer has no words for being none");
  }
}

/** The words for a tool call or a plan that was not allowed. */
export function notAllowed(resolution: Resolution): string {
  switch (resolution.kind) {
    case "answered":
      return `The person did not allow this${afterColon(saidWith(resolution))}.`;
    case "declined":
      return (
        `The person declined to decide${afterColon(resolution.reason)}. ` +
        "It is not allowed; do not do it in another way."
      );
    case "discuss":
      return (
        `The person wants to talk first${afterColon(resolution.words)}. ` +
        "It is not allowed yet. Answer them, then ask again if you still need it."
      );
    case "no_answer":
      return (
        `Nobody answered within ${resolution.afterSeconds} s. ` +
        "This is not consent. Do not do it."
      );
    case "withdrawn":
      return (
        `It was withdrawn before anybody decided${afterColon(resolution.reason)}. ` +
        "It is not allowed."
      );
  }
}

function saidWith(resolution: Resolution): string | null {
  return "message" in resolution ? resolution.message : null;
}

/** The words for what no person could be asked. */
export function notAsked(why: string, about: "question" | "approval"): string {
  const question = "No option was chosen; do not assume one.";
  const end = about === "question" ? question : "It is not allowed.";
  return `Nobody could be reached${afterColon(why)}. ${end}`;
}

interface Annotation {
  preview?: string;
  notes?: string;
}

function annotated(question: Question, answer: Answer): Annotation {
  const { leftOpen, notes, selected } = answer;
  if (leftOpen) {
    return { notes: LEFT_OPEN + (notes === null ? "" : THEIR_NOTE + notes) };
  }
  const chosen = choices(question).filter((option) => selected.includes(option.label));
  const previews = chosen.map((option) => option.preview ?? "").filter((text) => trim(text) !== "");
  return {
    ...(previews.length > 0 && { preview: previews.join("\n\n") }),
    ...(notes !== null && { notes }),
  };
}

/** `: text`, without a full stop at its end: the sentence brings its own. */
function afterColon(text: string | null | undefined): string {
  return text == null ? "" : `: ${trim(text).replace(/\.$/, "")}`;
}
