/** Checks the JSON of a hub: another shape is an error, and never an allow. */
import { HandraiseError } from "./errors.js";
import type { Answer, Question } from "./questions.js";

const STATES = ["open", "resolved", "delivered", "overruled", "undelivered"] as const;

/** An ask, as far as the caller needs it. */
export interface Ask {
  id: string;
  state: (typeof STATES)[number];
  policy: { deadlineSeconds: number | null; interrupts: boolean };
  /** How it ended. */
  kind: unknown;
  /** Whether an agent said that it was handed the answer. */
  hasReceipt: boolean;
  /** Whether another process waits for it. */
  isAnothers: boolean;
}

/** How an ask ended. */
export type Resolution =
  | { kind: "answered"; answers: Answer[] }
  | {
      kind: "answered";
      decision: "allow" | "deny";
      message: string | null;
      input: Record<string, unknown> | null;
      remember: boolean | null;
    }
  | { kind: "declined" | "withdrawn"; reason: string | null }
  | { kind: "discuss"; words: string | null }
  | { kind: "no_answer"; afterSeconds: number };

type Fields = Record<string, unknown>;

/** The value of a JSON text; `null` is none. */
export function parse(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw unreadable("it is not JSON");
  }
  return value ?? fail("null");
}

export function readAsk(value: unknown): Ask {
  const { id, state, policy, resolution, delivery, deliverer } = fields(value, "an ask");
  const { deadlineSeconds, onDeadline } = fields(policy, "policy");
  const end = resolution == null ? undefined : fields(resolution, "resolution");
  return {
    id: word(id, "id") || fail("id"),
    state: STATES.find((known) => known === state) ?? fail("state"),
    policy: {
      deadlineSeconds: deadlineSeconds == null ? null : whole(deadlineSeconds, "deadlineSeconds"),
      interrupts: onDeadline === "interrupt",
    },
    kind: end?.["kind"],
    hasReceipt: delivery != null,
    isAnothers: deliverer === "another",
  };
}

/**
 * Whether a call may wait for this ask, or take its answer.
 *
 * It may not when the answer was handed to an agent, when no answer can come any more, or when another
 * process waits for it.
 */
export function isReusable(ask: Ask): boolean {
  if (ask.isAnothers) {
    return false;
  }
  if (ask.state === "open") {
    return true;
  }
  return ask.state === "resolved" && !ask.hasReceipt && ask.kind !== "withdrawn";
}

/** The questions of an ask; `null` for an approval. */
export function readQuestions(value: unknown): Question[] | null {
  const { questions } = fields(value, "an ask");
  if (questions == null) {
    return null;
  }
  for (const one of list(questions, "questions")) {
    const { question, options } = fields(one, "questions");
    word(question, "questions");
    for (const option of list(options ?? [], "questions")) {
      word(fields(option, "questions")["label"], "questions");
    }
  }
  return questions as Question[];
}

/** How an ask of so many questions ended, or an approval if `questions` is `null`. */
export function readResolution(value: unknown, questions: number | null): Resolution {
  const end = fields(value, "a resolution");
  if (isClaimed(end)) {
    return { kind: "withdrawn", reason: "it ended outside the hub" };
  }
  const { kind } = end;
  switch (kind) {
    case "answered": {
      if (questions === null) {
        return { kind, ...readDecision(end) };
      }
      const answers = list(end["answers"], "answers").map(readAnswer);
      return answers.length === questions ? { kind, answers } : fail("answers");
    }
    case "declined":
    case "withdrawn":
      return { kind, reason: text(end["reason"], "reason") };
    case "discuss":
      return { kind, words: text(end["words"], "words") };
    case "no_answer":
      return { kind, afterSeconds: whole(end["afterSeconds"], "afterSeconds") };
    default:
      return fail("kind");
  }
}

/** The words of a refusal, and of all that is wrong. */
export function readProblem(status: number, body: string): { code: string; message: string } {
  try {
    const { code, title, violations } = fields(parse(body), "a problem");
    const wrong = list(violations ?? [], "violations").map((one) => {
      const { path, found, allowed } = fields(one, "violations");
      return `${path}: found ${found}, allowed ${allowed}`;
    });
    return { code: word(code, "code"), message: [word(title, "title"), ...wrong].join("; ") };
  } catch {
    // Not the hub's words: a proxy's, perhaps.
    return { code: "unreadable", message: `the hub answered with status ${status}` };
  }
}

/** Whether only an agent's receipt says that it ended so: that counts as withdrawn. */
function isClaimed({ kind, responder }: Fields): boolean {
  return responder == null
    ? ["answered", "declined", "discuss"].some((claimed) => claimed === kind)
    : fields(responder, "responder")["surface"] === "dialog";
}

function readDecision(end: Fields) {
  const { decision, message, input, remember } = end;
  return {
    decision: decision === "allow" || decision === "deny" ? decision : fail("decision"),
    message: text(message, "message"),
    input: input == null ? null : fields(input, "input"),
    remember: remember == null ? null : flag(remember, "remember"),
  } as const;
}

function readAnswer(value: unknown): Answer {
  const { selected, words, notes, leftOpen } = fields(value, "answers");
  return {
    selected: list(selected, "selected").map((label) => word(label, "selected")),
    words: text(words, "words"),
    notes: text(notes, "notes"),
    leftOpen: flag(leftOpen, "leftOpen"),
  };
}

function fields(value: unknown, name: string): Fields {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? (value as Fields) : fail(name);
}

function list(value: unknown, name: string): unknown[] {
  return Array.isArray(value) ? value : fail(name);
}

function text(value: unknown, name: string): string | null {
  return value == null ? null : word(value, name);
}

function word(value: unknown, name: string): string {
  return typeof value === "string" ? value : fail(name);
}

function flag(value: unknown, name: string): boolean {
  return typeof value === "boolean" ? value : fail(name);
}

function whole(value: unknown, name: string): number {
  return Number.isInteger(value) ? (value as number) : fail(name);
}

function fail(name: string): never {
  throw unreadable(name);
}

function unreadable(why: string): HandraiseError {
  return new HandraiseError("unreadable", `the hub's answer makes no sense: ${why}`);
}
