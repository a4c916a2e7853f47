/** How a session stands, in a person's words. */

import type { MessageJson, SessionJson } from "../generated/v1";
import { agentName, projectName } from "./asker";
import { oneLine } from "./visible";

/** What it is about, or where it is. */
export function sessionName(session: SessionJson): string {
  return oneLine(session.title ?? "") || projectName(session) || agentName(session);
}

export type Standing = {
  /** In one or two words. */
  word: string;
  tone: "busy" | "yours" | "quiet" | "bad";
  /** What becomes of words that are said now. */
  hint: string;
};

/** `asks` is how many of its asks wait; without a line nobody knows whether it still works. */
export function standing(session: SessionJson, asks: number, live: boolean): Standing {
  const agent = agentName(session);
  const after = `What you write is queued: ${agent} gets it after your answer.`;
  const trouble = session.trouble !== null;
  const state = session.ending && session.state !== "ended" ? "ending" : session.state;
  switch (state) {
    case "ended":
      return { word: "ended", tone: trouble ? "bad" : "quiet", hint: "This session is over." };
    case "ending":
      return { word: "ending", tone: "quiet", hint: `${agent} is told to end.` };
    case "deferred":
      return { word: "waits for your answer", tone: "yours", hint: `${agent} was put to sleep; your answer wakes it. ${after}` };
    case "stopped":
      return { word: "stopped", tone: trouble ? "bad" : "quiet", hint: `${agent} does not run. Your next message starts it again.` };
    case "idle":
      if (!asks) return { word: "idle", tone: "quiet", hint: `${agent} waits for your next message.` };
  }
  if (asks) return { word: "waiting for you", tone: "yours", hint: after };
  const [word, hint] =
    state === "starting"
      ? ["starting", `${agent} is about to begin. What you write is queued.`]
      : ["working", `What you write is queued until ${agent} can take it.`];
  return live ? { word, tone: "busy", hint } : { word: `${word} when last heard`, tone: "quiet", hint };
}

/** Where a person's words are, unless the agent has them. */
export function whereabouts(message: MessageJson, session: SessionJson, asks: number): string | null {
  if (message.state !== "queued") return null;
  if (session.state === "ended") return "Not delivered: the session was over before.";
  return `Queued: ${agentName(session)} gets it ${asks ? "after your answer" : "when it can take it"}.`;
}
