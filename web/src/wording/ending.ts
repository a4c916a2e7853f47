/** How an ask ended, who ended it, and what became of it at the agent, in plain words. */

import { nameOf, spoken } from "../answering/answer";
import type { AskResponse, EndingJson, ResponderJson } from "../generated/v1";
import { agentName } from "./asker";

/** Of whom and what the page is, to say "you" and "here". */
export type Me = { person: string | null; device: string };

const PLACES = new Map([
  ["terminal", "in a terminal"],
  ["web", "in the dashboard"],
  ["dialog", "in the agent’s own dialog"],
  ["api", "through the API"],
  ["rule", "by a rule"],
]);

export function place(surface: string): string {
  return PLACES.get(surface) ?? `through ${surface.replace(/^dialect:/, "")}`;
}

/** Whether a person gave it at a surface of the hub: not silence, not a rule, and not an agent that says so. */
export function isPersons(responder: ResponderJson | null): boolean {
  return responder !== null && responder.surface !== "rule" && responder.surface !== "dialog";
}

/** `you, here`, `ann in a terminal`, `the agent’s word, in its own dialog`. */
export function who(responder: ResponderJson | null, me: Me | null): string {
  if (!responder) return "nobody";
  if (responder.surface === "dialog") return "the agent’s word, in its own dialog";
  const mine = me !== null && responder.person !== null && responder.person === me.person;
  const here = mine && responder.surface === "web" && responder.device === me.device;
  if (here) return "you, here";
  return `${mine ? "you" : (responder.person ?? "somebody")} ${place(responder.surface)}`;
}

/** What was done, as a verb: `answered`, `declined`. */
export function deed(ask: AskResponse): string {
  const resolution = ask.resolution;
  switch (resolution?.kind) {
    case undefined:
      return "open";
    case "answered":
      if (resolution.decision) return resolution.decision === "allow" ? "allowed" : "denied";
      return "answered";
    case "declined":
      return "declined";
    case "discuss":
      return "to be discussed first";
    case "no_answer":
      return "nobody answered in time";
    case "withdrawn":
      return "withdrawn by the agent";
  }
}

/** A name and what was said to it, one for each question, or one for the whole; null is nothing yet. */
export type Line = { name: string; said: string | null; notes: string | null };

export function outcome(ask: AskResponse, ending: EndingJson): Line[] {
  const whole = (said: string): Line[] => [{ name: "", said, notes: null }];
  switch (ending.kind) {
    case "answered":
      if (ending.answers) {
        return ending.answers.flatMap((answer, i) => {
          const question = ask.questions?.[i];
          if (!question) return [];
          return [{ name: nameOf(question), said: spoken(question, answer), notes: answer.notes }];
        });
      }
      return whole(decision(ending));
    case "declined":
      return whole(ending.reason ? `Declined: ${ending.reason}` : "Declined. No option was sent.");
    case "discuss":
      return whole(`To be discussed first: ${ending.words}`);
    case "no_answer":
      return whole(`Nobody answered within ${ending.afterSeconds} s. No option was sent.`);
    case "withdrawn":
      return whole(ending.reason ? `Withdrawn: ${ending.reason}` : "Withdrawn by the agent.");
  }
}

function decision(ending: Extract<EndingJson, { kind: "answered" }>): string {
  const edited = ending.input !== undefined && ending.input !== null ? ", with an edited input" : "";
  const kept = ending.remember ? ", and remembered" : "";
  const verdict = ending.decision === "allow" ? `Allowed${edited}${kept}` : "Denied";
  return ending.message ? `${verdict}: ${ending.message}` : verdict;
}

export type Tone = "waiting" | "good" | "bad" | "quiet";

/** Whether the agent has it, in one sentence. */
export function delivery(ask: AskResponse): { tone: Tone; text: string } {
  const agent = agentName(ask.asker);
  const kind = ask.resolution?.kind;
  switch (ask.state) {
    case "open":
      return { tone: "waiting", text: `${agent} is waiting.` };
    case "resolved":
      if (kind === "withdrawn") return { tone: "quiet", text: `${agent} does not wait for it any more.` };
      return { tone: "waiting", text: `Stored. ${agent} has not confirmed it yet.` };
    case "delivered":
      if (ask.delivery?.level === "seen") return { tone: "good", text: `Seen: ${agent} has read it.` };
      return { tone: "good", text: `Handed over to ${agent}.` };
    case "overruled":
      return {
        tone: "bad",
        text: `Overruled: ${agent} took another answer than this one, and went on with that.`,
      };
    case "undelivered":
      return { tone: "bad", text: `Undelivered: this never reached ${agent}. ${reason(ask)}`.trim() };
  }
}

function reason(ask: AskResponse): string {
  const text = ask.delivery?.text?.trim();
  if (!text) return "";
  const whole = text[0]!.toUpperCase() + text.slice(1);
  return /[.!?]$/.test(whole) ? whole : `${whole}.`;
}
