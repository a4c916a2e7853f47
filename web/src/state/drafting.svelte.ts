/**
 * One ask's form: what the person has ticked and typed, kept here and at the hub with every change.
 *
 * Of two devices, or two tabs, neither may overwrite the other's words: whoever is behind keeps its own in
 * the form, or takes the other's, and is offered what it would lose.
 */

import { choiceOf, draftOf, isUntouched, untouched, type Choice } from "../answering/answer";
import type { AskResponse, DraftJson } from "../generated/v1";
import type { Api } from "../hub/api";
import { Refused } from "../hub/problem";
import { attempt, type Attempt } from "./attempt";
import * as shelf from "./shelf";
import { loses } from "./words";

/** So long after the last key the hub is told. */
const PAUSE_MS = 300;
/** So long after it could not be told it is tried again. */
const AGAIN_MS = 4_000;
/** News of typing within this time of our own is our own. */
const ECHO_MS = 2_000;

export class Drafting {
  choices = $state<Choice[]>([]);
  /** A reason to decline, words to talk first, or a word with a decision. */
  message = $state("");
  /** An approval's input while it is edited. */
  input = $state<string | null>(null);
  /** Whether to take what the agent offers to remember. */
  remember = $state(false);
  /** `kept` at the hub, `here` on this device alone, `lost` when there is no room even here. */
  place = $state<"kept" | "here" | "lost">("kept");
  /** What was typed elsewhere, or here before, and is not in the form. */
  rival = $state.raw<DraftJson | null>(null);
  /** While something is on its way to the hub. */
  sending = $state(false);
  /** Why it was not taken. */
  trouble = $state.raw<string[]>([]);

  /** The version the hub has, as far as is known here. */
  private version = 0;
  /** Whether what is in the form was typed here, and not only taken over. */
  private own = false;
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
    this.own = found.own;
    this.rival = found.rival;
    this.attempted = found.attempt;
    this.place = found.kept ? "kept" : "here";
  }

  /** Whether there is anything a person would miss. */
  get isEmpty(): boolean {
    return this.choices.every(isUntouched) && !this.message && this.input === null;
  }

  /** Something was ticked or typed. */
  readonly changed = (): void => {
    this.own = true;
    this.over = false;
    this.trouble = [];
    this.place = "here";
    this.shelve();
    this.tellSoon(PAUSE_MS);
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
    if (this.over) return;
    if (theirs && theirs.version > this.version) this.meet(theirs);
    else if (this.unkept) this.tellSoon(PAUSE_MS);
  }

  /** Another tab of this browser has put something onto the shelf. */
  overhear(): void {
    const found = shelf.take(this.ask.id);
    if (!found || this.over) return;
    const answers = found.choices.map(draftOf);
    const theirs = { version: found.version, answers, message: found.message || null, input: found.input };
    const ours = this.draft();
    if (!loses(theirs, ours)) return;
    // Its words stay in its form; here they are offered, and go onto the shelf beside ours.
    if (this.own && loses(ours, theirs)) {
      this.rival = theirs;
      this.shelve();
    } else {
      this.adopt(theirs, found.kept);
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

  /** Takes what is offered instead; what was in the form is offered in turn. */
  useRival(): void {
    if (!this.rival) return;
    const ours = this.draft();
    this.adopt(this.rival, false);
    if (loses(ours, this.draft())) this.rival = ours;
    this.changed();
  }

  /** What is offered is not wanted. */
  dropRival(): void {
    this.rival = null;
    this.shelve();
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

  private get unkept(): boolean {
    return this.place !== "kept" && !this.isEmpty;
  }

  /** The hub has something newer than what it had from here. */
  private meet(theirs: DraftJson): void {
    const ours = this.draft();
    if (!this.unkept) {
      // What was typed here, or offered, and is not in theirs would be gone.
      const left = this.own && loses(ours, theirs) ? ours : this.rival;
      this.adopt(theirs, true);
      if (left && loses(left, theirs)) this.rival = left;
      this.own = false;
    } else {
      this.version = theirs.version;
      if (loses(theirs, ours)) this.rival = theirs;
      this.tellSoon(PAUSE_MS);
    }
    this.shelve();
  }

  private adopt(draft: DraftJson, kept: boolean): void {
    const questions = this.ask.questions ?? [];
    this.choices = questions.map((question, i) => choiceOf(question, draft.answers[i]));
    this.message = draft.message ?? "";
    this.input = draft.input ?? null;
    this.version = Math.max(this.version, draft.version);
    this.rival = null;
    this.place = kept ? "kept" : "here";
    if (kept) this.shelve();
  }

  private draft(): DraftJson {
    const answers = this.choices.map(draftOf);
    return { version: this.version, answers, message: this.message || null, input: this.input };
  }

  private shelve(): void {
    const { version, message, input, own, rival, attempted } = this;
    const kept = this.place === "kept";
    const choices = this.choices.map((choice) => ({ ...choice, selected: [...choice.selected] }));
    const at = Date.now();
    const shelved = { version, choices, message, input, kept, own, rival, attempt: attempted, at };
    if (!shelf.put(this.ask.id, shelved) && !kept) this.place = "lost";
  }

  private tellSoon(pause: number): void {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.tell(), pause);
  }

  private tell(): void {
    if (this.telling) return this.tellSoon(PAUSE_MS);
    this.telling = this.send({ ...this.draft(), version: this.version + 1 }).finally(() => {
      this.told = Date.now();
      this.telling = null;
    });
  }

  private async send(draft: DraftJson): Promise<void> {
    try {
      await this.api().keepDraft(this.ask.id, draft);
    } catch (error) {
      if (this.over) return;
      if (!(error instanceof Refused)) return this.tellSoon(AGAIN_MS);
      if (error.code === "older_draft" && error.problem.draft) this.meet(error.problem.draft);
      return;
    }
    if (this.over) return;
    this.version = draft.version;
    const now = JSON.stringify({ ...this.draft(), version: draft.version });
    if (now === JSON.stringify(draft)) this.place = "kept";
    this.shelve();
  }
}
