/** Drafts on this device: written with every key, read after a crash. */

import type { Choice } from "../answering/answer";
import type { Attempt } from "./attempt";

export type Shelved = {
  version: number;
  choices: Choice[];
  message: string;
  input: string | null;
  /** Whether the hub has it, too. */
  kept: boolean;
  attempt: Attempt | null;
  at: number;
};

const PREFIX = "handraise.draft.";
/** What nobody came back to for so long is thrown away. */
const LONGEST_MS = 30 * 24 * 60 * 60 * 1000;

export function take(ask: string): Shelved | null {
  try {
    return JSON.parse(localStorage.getItem(PREFIX + ask) ?? "null") as Shelved | null;
  } catch {
    return null;
  }
}

/** Whether there was room. */
export function put(ask: string, draft: Shelved): boolean {
  try {
    localStorage.setItem(PREFIX + ask, JSON.stringify(draft));
    return true;
  } catch {
    return false;
  }
}

export function clear(ask: string): void {
  localStorage.removeItem(PREFIX + ask);
}

export function sweep(now: number): void {
  for (const name of Object.keys(localStorage).filter((name) => name.startsWith(PREFIX))) {
    const draft = take(name.slice(PREFIX.length));
    if (!draft || now - draft.at > LONGEST_MS) localStorage.removeItem(name);
  }
}
