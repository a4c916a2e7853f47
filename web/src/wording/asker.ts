/** Who asks, in a person's words. */

import type { ApprovalJson, AskerJson, AskResponse } from "../generated/v1";
import { oneLine, visibleExactly } from "./visible";

const KNOWN = new Map([
  ["claude-code", "Claude"],
  ["codex", "Codex"],
  ["opencode", "OpenCode"],
  ["gemini", "Gemini"],
  ["gemini-cli", "Gemini"],
  ["demo", "The demo"],
]);

export function agentName(asker: Pick<AskerJson, "agent">): string {
  return KNOWN.get(asker.agent) ?? oneLine(asker.agent);
}

/** The kind of agent that people call so; what nobody calls so may be a kind itself. */
export function agentCalled(name: string): string {
  const called = ([, known]: [string, string]) => known.toLowerCase() === name.trim().toLowerCase();
  return [...KNOWN].find(called)?.[0] ?? name;
}

/** The last part of the directory: what people call the project. */
export function projectName(asker: Pick<AskerJson, "directory">): string | null {
  const parts = oneLine(asker.directory ?? "").split(/[\\/]/).filter(Boolean);
  return parts.at(-1) ?? null;
}

/** `Claude is asking`, `Claude wants to use Bash`, `Claude has a plan`. */
export function headline(ask: AskResponse): string {
  const who = agentName(ask.asker);
  if (ask.kind === "question") return `${who} is asking`;
  if (isPlan(ask)) return `${who} has a plan`;
  return `${who} wants to use ${oneLine(ask.approval?.tool ?? "a tool", visibleExactly)}`;
}

/** The tool by which Claude Code shows a plan. A plan beside any other call is a remark, and the call is shown. */
const PLANNING = "ExitPlanMode";

export function isPlan(ask: AskResponse): boolean {
  return ask.approval?.tool === PLANNING && (ask.approval.plan ?? "").trim() !== "";
}

/** What a call is made with, beyond the plan that is shown already. */
export function inputBeside(approval: ApprovalJson): ApprovalJson["input"] {
  const shown = ([name, value]: [string, unknown]) => name === "plan" && value === approval.plan;
  return Object.fromEntries(Object.entries(approval.input).filter((field) => !shown(field)));
}

/** The matter in one line, for lists, titles and notifications. */
export function gist(ask: AskResponse): string {
  if (ask.questions) return ask.questions.map((question) => oneLine(question.question)).join(" · ");
  const approval = ask.approval;
  if (!approval) return "";
  if (approval.description?.trim()) return cut(oneLine(approval.description));
  if (isPlan(ask)) return cut(oneLine(approval.plan ?? ""));
  const input = approval.input;
  const telling = ["command", "file_path", "path", "url", "pattern", "query"].map((name) => input[name]);
  const first = telling.find((value) => typeof value === "string");
  return cut(oneLine(typeof first === "string" ? first : JSON.stringify(input), visibleExactly));
}

/** With a mark where the rest is left out. */
const cut = (text: string) => (text.length > 300 ? `${text.slice(0, 299)}…` : text);
