/** How asks are to be treated: presets, and what a program says itself. */

export type Verdict = "approve" | "ask" | "deny";
export type Tools = "approve" | "ask" | ((tool: string) => Verdict);
export type Preset = "gobby" | "prime-agent";

/** What one program wishes for. */
export interface Rules {
  tools: Tools;
  deadline: number | null;
  onDeadline: "tell" | "interrupt";
  onDisconnect: "keep" | "decline";
  ownWords: "allow" | "refuse";
  pauseWhileTyping: boolean;
  /** Said in place of our words when questions are declined or nobody answers. */
  unanswered: string | null;
}

/** What of the rules a program may say itself. */
export type Wishes = Partial<Omit<Rules, "pauseWhileTyping" | "unanswered" | "deadline">> & {
  preset?: Preset;
  deadline?: number;
};

/** The default is patience. */
const PATIENT: Rules = {
  tools: "ask",
  deadline: null,
  onDeadline: "tell",
  onDisconnect: "keep",
  ownWords: "allow",
  pauseWhileTyping: true,
  unanswered: null,
};

export const PRESETS: Record<Preset, Rules> = {
  gobby: {
    ...PATIENT,
    tools: "approve",
    deadline: 300,
    onDisconnect: "decline",
    pauseWhileTyping: false,
  },
  "prime-agent": {
    ...PATIENT,
    deadline: 55,
    onDeadline: "interrupt",
    pauseWhileTyping: false,
    unanswered: "User response timeout",
  },
};

/** A preset, and what is said beside it. Whatever makes no sense is refused by its name. */
export function checked(wishes: Wishes): Rules {
  const { preset, tools, deadline, onDeadline, onDisconnect, ownWords } = wishes;
  oneOf("preset", preset, Object.keys(PRESETS));
  if (typeof tools !== "function") {
    oneOf("tools", tools, ["approve", "ask"], " or a function");
  }
  oneOf("onDeadline", onDeadline, ["tell", "interrupt"]);
  oneOf("onDisconnect", onDisconnect, ["keep", "decline"]);
  oneOf("ownWords", ownWords, ["allow", "refuse"]);
  if (deadline !== undefined && !(Number.isSafeInteger(deadline) && deadline >= 1)) {
    throw wrong("deadline", deadline, "whole seconds from 1");
  }
  const base = preset === undefined ? PATIENT : PRESETS[preset];
  return {
    ...base,
    tools: tools ?? base.tools,
    deadline: deadline ?? base.deadline,
    onDeadline: onDeadline ?? base.onDeadline,
    onDisconnect: onDisconnect ?? base.onDisconnect,
    ownWords: ownWords ?? base.ownWords,
  };
}

/** What to do about a call of this tool. */
export function verdict(rules: Rules, tool: string): Verdict {
  if (typeof rules.tools !== "function") {
    return rules.tools;
  }
  const said = rules.tools(tool) as Verdict | undefined;
  oneOf(`tools(${JSON.stringify(tool)})`, said ?? null, ["approve", "ask", "deny"]);
  return said as Verdict;
}

/** The rules that the hub keeps. */
export function policy(rules: Rules): object {
  const { deadline, onDeadline, onDisconnect, ownWords, pauseWhileTyping } = rules;
  return { deadlineSeconds: deadline, onDeadline, onDisconnect, ownWords, pauseWhileTyping };
}

function oneOf(field: string, value: unknown, allowed: string[], also = ""): void {
  if (value !== undefined && !allowed.includes(value as string)) {
    throw wrong(field, value, allowed.map((word) => JSON.stringify(word)).join(", ") + also);
  }
}

/** Why an option is refused. */
export function wrong(field: string, found: unknown, allowed: string): TypeError {
  return new TypeError(`${field}: found ${JSON.stringify(found)}, allowed ${allowed}`);
}
