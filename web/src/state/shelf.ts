/** Drafts on this device: written with every key, read after a crash. */

import type { Choice } from "../answering/answer";
import type { DraftJson } from "../generated/v1";
import type { Attempt } from "./attempt";
import * as storage from "./storage";

export type Shelved = {
  /** The version the hub has, as far as is known here. */
  version: number;
  choices: Choice[];
  message: string;
  input: string | null;
  /** Whether the hub has it, too. */
  kept: boolean;
  /** Whether it was typed on this device. */
  own: boolean;
  /** What somebody else has typed here, and nobody has decided about. */
  rival: DraftJson | null;
  attempt: Attempt | null;
  at: number;
};

const PREFIX = "handraise.draft.";
/** What nobody came back to for so long is thrown away. */
const LONGEST_MS = 30 * 24 * 60 * 60 * 1000;

export function take(ask: string): Shelved | null {
  try {
    return JSON.parse(storage.read(PREFIX + ask) ?? "null") as Shelved | null;
  } catch {
    return null;
  }
}

/** Whether there was room. */
export const put = (ask: string, draft: Shelved): boolean => storage.write(PREFIX + ask, JSON.stringify(draft));

export const clear = (ask: string): void => storage.remove(PREFIX + ask);

/** The ask whose draft has this name in storage. */
export const askOf = (name: string | null): string | null => (name?.startsWith(PREFIX) ? name.slice(PREFIX.length) : null);

export function sweep(now: number): void {
  for (const ask of storage.names().map(askOf)) {
    if (ask === null) continue;
    const draft = take(ask);
    if (!draft || now - draft.at > LONGEST_MS) clear(ask);
  }
}
