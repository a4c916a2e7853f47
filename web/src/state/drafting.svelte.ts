/** One ask's form: what the person has ticked and typed, kept here and at the hub with every change. */

import { choiceOf, draftOf, isUntouched, untouched, type Choice } from "../answering/answer";
import type { AskResponse, DraftJson } from "../generated/v1";
import type { Api } from "../hub/api";
import { Refused } from "../hub/problem";
import { attempt, type Attempt } from "./attempt";
import * as shelf from "./shelf";

/** So long after the last key the hub is told. */
const PAUSE_MS = 300;
/** News of typing within this time of our own is our own. */
const ECHO_MS = 2_000;

export class Drafting {
  choices = $state<Choice[]>([]);
  /** A reason to decline, words to talk first, or a word with a decision. */
  message = $state("");
  /** An approval's input while it is edited. */
  input = $state<string | null>(null);
  /** `kept` at the hub, `here` on this device alone, `lost` when there is no room even here. */
  place = $state<"kept" | "here" | "lost">("kept");
  /** What another device of the same person has here, when it differs. */
  rival = $state.raw<DraftJson | null>(null);
  /** While something is on its way to the hub. */
  sending = $state(false);
  /** Why it was not taken. */
  trouble = $state.raw<string[]>([]);

  private version = 0;
  private attempted: Attempt | null = null;
  private told = 0;
  /** Whether it was sent or thrown away, and nothing typed since. */
  private over = false;
  private timer: number | undefined;
  private later: number | undefined;
  private telling: Promise<void> | null = null;

  constructor(
    private readonly ask: AskResponse,
    private readonly api: () => Api,
  ) {
    const found = shelf.take(ask.id);
    this.choices = (ask.questions ?? []).map((_, i) => found?.choices[i] ?? untouched());
    if (!found) return;
    this.message = found.message;
    this.input = found.input;
    this.version = found.version;
    this.attempted = found.attempt;
    this.place = found.kept ? "kept" : "here";
  }

  /** Whether there is anything a person would miss. */
  get isEmpty(): boolean {
    return this.choices.every(isUntouched) && !this.message && this.input === null;
  }

  /** Something was ticked or typed. */
  readonly changed = (): void => {
    this.version += 1;
    this.over = false;
    this.trouble = [];
    this.place = "here";
    this.shelve();
    this.tellSoon();
  };

  /** Looks whether another device has got further. */
  async fetch(): Promise<void> {
    let theirs: DraftJson | null;
    try {
      theirs = await this.api().draft(this.ask.id);
    } catch {
      // Not now: it is asked again when the line is back.
      return;
    }
    if (!theirs) {
      if (this.place === "here" && !this.isEmpty) this.tellSoon();
    } else if (this.place === "here" && !this.isEmpty) {
      this.differs(theirs);
    } else if (theirs.version > this.version) {
      this.adopt(theirs);
    }
  }

  /** Somebody types at this ask. Tells whether it was this page itself, as far as that can be known. */
  isEcho(): boolean {
    const echo = this.telling !== null || Date.now() - this.told < ECHO_MS;
    clearTimeout(this.later);
    // Another device of the same person may have typed just then, too.
    this.later = window.setTimeout(() => void this.fetch(), echo ? ECHO_MS : 0);
    return echo;
  }

  /** Takes what the other device has instead. */
  useRival(): void {
    if (!this.rival) return;
    this.adopt(this.rival);
    this.changed();
  }

  /** The key under which to say this; the same for the same words. */
  keyFor(said: unknown): string {
    this.attempted = attempt(this.attempted, said);
    this.shelve();
    return this.attempted.key;
  }

  /** It was said: nothing is left to keep. */
  async sent(): Promise<void> {
    this.over = true;
    clearTimeout(this.timer);
    clearTimeout(this.later);
    shelf.clear(this.ask.id);
    this.choices = this.choices.map(untouched);
    this.message = "";
    this.input = null;
    this.rival = null;
    this.place = "kept";
    // What is still on its way must not come after.
    await this.telling;
    try {
      await this.api().dropDraft(this.ask.id);
    } catch {
      // An old draft of an ask that has ended harms nobody.
    }
  }

  /** Throws everything away, at the person's word. */
  discard(): void {
    void this.sent();
  }

  private adopt(draft: DraftJson): void {
    const questions = this.ask.questions ?? [];
    this.choices = questions.map((question, i) => choiceOf(question, draft.answers[i]));
    this.message = draft.message ?? "";
    this.input = draft.input ?? null;
    this.version = draft.version;
    this.rival = null;
    this.place = "kept";
    this.shelve();
  }

  /** Both have something. Ours stays in the form, theirs is offered. */
  private differs(theirs: DraftJson): void {
    if (JSON.stringify(content(theirs)) === JSON.stringify(content(this.draft()))) {
      this.version = Math.max(this.version, theirs.version);
      this.place = "kept";
      this.shelve();
      return;
    }
    const silent = theirs.answers.every((answer) => !answer.words && !answer.notes) && !theirs.message;
    // What an older state of this page left at the hub is no rival: everything in it was ours.
    if (!silent && theirs.version >= this.version) this.rival = theirs;
    this.version = Math.max(this.version, theirs.version) + 1;
    this.shelve();
    this.tellSoon();
  }

  private draft(): DraftJson {
    const answers = this.choices.map(draftOf);
    return { version: this.version, answers, message: this.message || null, input: this.input };
  }

  private shelve(): void {
    const { version, message, input, attempted } = this;
    const kept = this.place === "kept";
    const choices = $state.snapshot(this.choices);
    const shelved = { version, choices, message, input, kept, attempt: attempted, at: Date.now() };
    if (!shelf.put(this.ask.id, shelved) && !kept) this.place = "lost";
  }

  private tellSoon(): void {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.tell(), PAUSE_MS);
  }

  private tell(): void {
    if (this.telling) return this.tellSoon();
    this.telling = this.send(this.draft()).finally(() => {
      this.told = Date.now();
      this.telling = null;
    });
  }

  private async send(draft: DraftJson): Promise<void> {
    try {
      await this.api().keepDraft(this.ask.id, draft);
      if (draft.version === this.version && !this.over) {
        this.place = "kept";
        this.shelve();
      }
    } catch (error) {
      // Otherwise it stays here, and is told when the line is back.
      if (this.over) return;
      if (error instanceof Refused && error.code === "older_draft" && error.problem.draft) {
        this.differs(error.problem.draft);
      }
    }
  }
}

function content({ answers, message, input }: DraftJson): unknown {
  return [answers, message, input];
}
