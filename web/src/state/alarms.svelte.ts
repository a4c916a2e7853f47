/** Alarms: agents that went on with an answer nobody gave, until a person has seen it. */

import { SvelteMap } from "svelte/reactivity";

import type { AskResponse } from "../generated/v1";
import * as storage from "./storage";

const DISMISSED = "handraise.dismissed";
/** More than a page of History: what is dismissed does not come back with it. */
const MOST_KEPT = 200;
/** Older ones are in History. */
const MOST_SHOWN = 100;
const A_DAY_MS = 24 * 60 * 60 * 1000;

export class Alarms {
  readonly asks = new SvelteMap<string, AskResponse>();

  /** Takes an ask as it stands. Returns whether it is an alarm that nobody has seen yet. */
  ring(ask: AskResponse): boolean {
    if (!ask.delivery?.doubt || dismissed().includes(ask.id)) return false;
    const fresh = !this.asks.has(ask.id);
    this.asks.set(ask.id, ask);
    for (const id of [...this.asks.keys()].slice(0, -MOST_SHOWN)) this.asks.delete(id);
    return fresh;
  }

  /** Takes what was found in History, the last one first. */
  recall(asks: AskResponse[], now: number): void {
    for (const ask of [...asks].reverse()) {
      if (now - Date.parse(ask.delivery?.at ?? "") < A_DAY_MS) this.ring(ask);
    }
  }

  dismiss(...ids: string[]): void {
    // A browser that keeps nothing shows them again with the next page, and not before.
    for (const id of ids) this.asks.delete(id);
    storage.write(DISMISSED, JSON.stringify([...ids, ...dismissed()].slice(0, MOST_KEPT)));
  }

  /** Somebody may have dismissed some in another tab. */
  overhear(): void {
    for (const id of dismissed()) this.asks.delete(id);
  }
}

function dismissed(): string[] {
  try {
    const kept: unknown = JSON.parse(storage.read(DISMISSED) ?? "[]");
    return Array.isArray(kept) ? kept : [];
  } catch {
    return [];
  }
}
