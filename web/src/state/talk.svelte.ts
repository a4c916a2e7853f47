/** What a person writes to an agent, before it has arrived: no word of it is lost, and none is said twice. */

import type { Problem } from "../generated/v1";
import { Refused, why } from "../hub/problem";
import { attempt, type Attempt } from "./attempt";
import * as storage from "./storage";

const PREFIX = "handraise.words.";

type Shelved = { text: string; attempt: Attempt | null };

function read(value: string | null): Shelved | null {
  try {
    return JSON.parse(value ?? "null") as Shelved | null;
  } catch {
    return null;
  }
}

export class Talk {
  text = $state("");
  sending = $state(false);
  /** Whether this browser has no room for it. */
  unkept = $state(false);
  /** Why it was not taken. */
  trouble = $state.raw<string[]>([]);
  problem = $state.raw<Problem | null>(null);

  /** Kept with the words until the hub has them: whoever tries again says the same thing, not another. */
  private attempted: Attempt | null = null;

  /** `place` is what the words are for: a session, or the start of one. */
  constructor(readonly place: string) {
    // Two tabs may have different words: each finds its own after a reload, and a new one finds the last.
    const found = read(storage.read(PREFIX + place, "sessionStorage")) ?? read(storage.read(PREFIX + place));
    this.text = found?.text ?? "";
    this.attempted = found?.attempt ?? null;
  }

  readonly changed = (): void => {
    this.trouble = [];
    this.problem = null;
    this.shelve();
  };

  /** Another tab of this browser has written, or sent. What was typed here on its own stays. */
  overhear({ key, oldValue, newValue }: Pick<StorageEvent, "key" | "oldValue" | "newValue">): void {
    if (key !== PREFIX + this.place || this.sending) return;
    const theirs = read(newValue);
    if (theirs ? theirs.text.includes(this.text) : read(oldValue)?.text === this.text) {
      this.text = theirs?.text ?? "";
      this.attempted = theirs?.attempt ?? null;
      this.shelveHere();
    } else if (!theirs) {
      this.shelve();
    }
  }

  /** Sends the words, with what belongs to them. Tells whether they have arrived. */
  async send<T>(say: (text: string, key: string) => Promise<T>, beside: unknown = null): Promise<T | null> {
    const said = this.text;
    if (this.sending || !said.trim()) return null;
    this.sending = true;
    this.attempted = attempt(this.attempted, [said, beside]);
    this.changed();
    try {
      const result = await say(said, this.attempted.key);
      this.attempted = null;
      // What was typed on meanwhile is the next thing to say.
      this.text = this.text.startsWith(said) ? this.text.slice(said.length).trimStart() : this.text;
      this.shelve();
      return result;
    } catch (error) {
      this.problem = error instanceof Refused ? error.problem : null;
      this.trouble = why(error, "The hub cannot be reached. Nothing is lost: try again when it is back.");
      return null;
    } finally {
      this.sending = false;
    }
  }

  private shelve(): void {
    const kept = this.shelveHere();
    if (!this.text) storage.remove(PREFIX + this.place);
    this.unkept = !!this.text && !storage.write(PREFIX + this.place, this.asShelved()) && !kept;
  }

  /** For this tab alone. Whether there was room. */
  private shelveHere(): boolean {
    if (this.text) return storage.write(PREFIX + this.place, this.asShelved(), "sessionStorage");
    storage.remove(PREFIX + this.place, "sessionStorage");
    return true;
  }

  private asShelved(): string {
    return JSON.stringify({ text: this.text, attempt: this.attempted } satisfies Shelved);
  }
}
