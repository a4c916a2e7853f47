/** Everything the pages show, and the one line to the hub that keeps it true. */

import { SvelteMap } from "svelte/reactivity";

import type { AskResponse, EventFrame } from "../generated/v1";
import { Api, Ticket } from "../hub/api";
import { Feed } from "../hub/feed";
import { Refused, lines } from "../hub/problem";
import { forget, type Session } from "../hub/session";
import { deed, who, type Me } from "../wording/ending";
import { agentName, gist, headline, projectName } from "../wording/asker";
import { Alarms } from "./alarms.svelte";
import { clock } from "./clock.svelte";
import { Drafting } from "./drafting.svelte";
import { notifications } from "./notifications.svelte";
import { pointerMoved } from "./pointer";
import { Sessions } from "./sessions.svelte";
import * as shelf from "./shelf";

/** How the page stands to the hub. */
export type Line = "connecting" | "live" | "offline";

/** So long after a key somebody counts as typing. */
const TYPING_MS = 4_000;
/** So long after a card has ended a pointer that did not move since is not trusted. */
const SETTLE_MS = 400;
/** So long after it failed the list is fetched again. */
const AGAIN_MS = 1_000;
/** When so many cards are unfolded, those that follow come folded. */
const MOST_UNFOLDED = 3;
/** More asks than this are not looked up one by one after a reset. */
const MOST_LOOKED_UP = 100;

export class Dashboard {
  /** Open asks, and those that ended while the page was open and were not cleared. */
  readonly asks = new SvelteMap<string, AskResponse>();
  /** Asks of conversations that ended before; null for those that are kept no more. */
  readonly past = new SvelteMap<string, AskResponse | null>();
  /** At which asks somebody types, and what will say that they have stopped. */
  readonly typing = new SvelteMap<string, number>();
  readonly alarms = new Alarms();
  readonly folded = new SvelteMap<string, boolean>();
  line = $state<Line>("connecting");
  /** Whether the list was fetched at least once. */
  listed = $state(false);
  expired = $state(false);
  /** Whether something listens at the hub's address that does not know this browser: another program, most likely. */
  isStranger = $state(false);
  restarted = $state(false);
  hubVersion = $state<string | null>(null);
  /** The last change of who may come in. */
  deviceNews = $state(0);
  /** What a screen reader is told. */
  announcement = $state("");

  readonly inOrder = $derived([...this.asks.values()].sort((a, b) => (a.id < b.id ? -1 : 1)));
  readonly waiting = $derived(this.inOrder.filter((ask) => ask.state === "open"));
  readonly outdated = $derived(
    this.hubVersion !== null && __VERSION__ !== "development" && this.hubVersion !== __VERSION__,
  );

  readonly api: Api;
  readonly me: Me;
  readonly sessions: Sessions;
  /** The open asks of each session that has any. */
  readonly waitingIn = $derived.by(() => this.sessions.waiting(this.waiting));
  private readonly drafts = new Map<string, Drafting>();
  private readonly lookedUp = new Set<string>();
  private readonly feed: Feed;
  private readonly ticket = new Ticket();
  private cursor: number | null = null;
  private since: string | null = null;
  private caughtUp = false;
  private moved = -Infinity;
  private later: number | undefined;
  /** While the list is fetched anew: until it is there, nothing is live. */
  private relisting = false;

  constructor(readonly session: Session) {
    this.api = new Api(this.ticket, (date) => clock.follow(date));
    this.me = { person: session.device.person, device: session.device.name };
    this.sessions = new Sessions(this.api);
    shelf.sweep(Date.now());
    addEventListener("storage", (event) => {
      this.drafts.get(shelf.askOf(event.key) ?? "")?.overhear();
      this.sessions.overhear(event);
      this.alarms.overhear();
    });
    this.feed = new Feed(session.token, {
      cursor: () => this.cursor,
      admitted: (ticket) => {
        this.isStranger = false;
        this.ticket.renew(ticket);
      },
      heard: (frame) => this.heard(frame),
      lost: (isStranger) => {
        this.isStranger = isStranger;
        this.ticket.drop();
        if (!this.expired) this.line = "offline";
      },
      refused: this.refused,
    });
  }

  /** The form of an ask; the same one however often it is folded away. */
  drafting(ask: AskResponse): Drafting {
    let drafting = this.drafts.get(ask.id);
    if (!drafting) {
      drafting = new Drafting(ask, () => this.api);
      this.drafts.set(ask.id, drafting);
      void drafting.fetch();
    }
    return drafting;
  }

  /** Says something to an ask, and shows what became of it. */
  async say(ask: AskResponse, said: (key: string) => Promise<AskResponse>, words: unknown): Promise<void> {
    const drafting = this.drafting(ask);
    if (drafting.sending) return;
    drafting.sending = true;
    drafting.trouble = [];
    try {
      this.update(await said(drafting.keyFor(words)));
      await drafting.sent();
    } catch (error) {
      await this.notTaken(ask, drafting, error);
    } finally {
      drafting.sending = false;
    }
  }

  /**
   * Whether a click was meant for what is under the pointer now. When a card ends it shrinks, and what was
   * below it is suddenly where the pointer is; a second click there would say something nobody meant.
   */
  isMeant(ask: AskResponse, click: MouseEvent): boolean {
    const byKey = click.detail === 0;
    const meant = byKey || pointerMoved() > this.moved || performance.now() - this.moved > SETTLE_MS;
    if (!meant) this.drafting(ask).trouble = ["The page has just moved. Press once more if you meant this."];
    return meant;
  }

  async extend(ask: AskResponse, seconds: number): Promise<void> {
    try {
      // More time from this deadline on: however often it is sent, it counts once.
      this.update(await this.api.extend(ask.id, { seconds, idempotencyKey: `${ask.deadlineAt} ${seconds}` }));
    } catch (error) {
      await this.notTaken(ask, this.drafting(ask), error);
    }
  }

  /** An ask that a conversation tells of; null when it is kept no more, nothing while nobody knows. */
  told(id: string): AskResponse | null | undefined {
    return this.asks.get(id) ?? this.past.get(id);
  }

  /** Fetches an ask that is not on the page. It has ended, mostly, and comes folded. */
  async lookUp(id: string): Promise<void> {
    if (this.lookedUp.has(id)) return;
    this.lookedUp.add(id);
    try {
      const ask = await this.api.ask(id);
      if (!this.folded.has(id)) this.folded.set(id, ask.state !== "open");
      this.past.set(id, ask);
    } catch (error) {
      if (error instanceof Refused) this.past.set(id, null);
      // Not now: it is asked for again when the line is back.
      else this.lookedUp.delete(id);
    }
  }

  /** The page has moved under the pointer. */
  readonly hasMoved = (): void => {
    this.moved = performance.now();
  };

  /** Looks away from what has ended. */
  clearEnded(ids: string[]): void {
    for (const id of ids) {
      this.asks.delete(id);
      this.drafts.delete(id);
      this.folded.delete(id);
    }
  }

  /** Tries the line again at once. */
  retry(): void {
    this.line = "connecting";
    this.feed.now();
  }

  /** This browser is not known any more. */
  readonly refused = (): void => {
    this.feed.stop();
    notifications.closeAll();
    forget();
    this.line = "offline";
    this.expired = true;
  };

  /** The list as it stands. The cursor is taken before, so that nothing falls between the two. */
  private async catchUp(): Promise<void> {
    const cursor = await this.meet();
    const doubted = this.api.history({ doubted: "true" }, null);
    const [open, { asks }] = await Promise.all([this.api.open(), doubted, this.sessions.list()]);
    this.alarms.recall(asks, clock.now);
    const found = new Set(open.map((ask) => ask.id));
    const gone = [...this.asks.values()].filter((ask) => ask.state === "open" && !found.has(ask.id));
    for (const ask of open) this.update(ask);
    for (const ask of gone.slice(0, MOST_LOOKED_UP)) this.update(await this.api.ask(ask.id));
    for (const ask of gone.slice(MOST_LOOKED_UP)) this.asks.delete(ask.id);
    this.cursor = Math.max(this.cursor ?? 0, cursor);
    this.listed = true;
  }

  /** Asks the hub who it is; returns the end of its log. */
  private async meet(): Promise<number> {
    const status = await this.api.status();
    this.hubVersion = status.version;
    if (this.since !== null && this.since !== status.since) this.restarted = true;
    this.since = status.since;
    return Number(status.head.split(":")[0]);
  }

  private heard(frame: EventFrame): void {
    switch (frame.type) {
      case "live":
        this.cursor = frame.seq;
        return this.listed ? this.live() : void this.relist();
      case "reset":
        this.cursor = frame.seq;
        this.past.clear();
        this.lookedUp.clear();
        return void this.relist();
      case "typing":
        return this.someoneTypes(frame.ask);
      case "session.text":
        return this.sessions.spoke(frame.session, frame);
      case "event":
        this.cursor = frame.seq;
        if (frame.ask) this.happened(frame.name, frame.ask);
        else if (frame.session) this.sessions.heard(frame.session, frame.messages ?? []);
        else if (frame.name === "device.changed") this.deviceNews = frame.seq;
    }
  }

  /** Something could not be told: the list says how everything stands. */
  private async relist(): Promise<void> {
    clearTimeout(this.later);
    this.relisting = true;
    try {
      await this.catchUp();
    } catch {
      this.line = "offline";
      this.later = window.setTimeout(() => void this.relist(), AGAIN_MS);
      return;
    }
    this.relisting = false;
    this.sessions.refresh();
    this.live();
  }

  private live(): void {
    if (this.relisting) return;
    const back = this.line !== "live";
    this.line = "live";
    this.caughtUp = true;
    if (!back) return;
    void this.meet().catch(() => {});
    this.sessions.refresh();
    for (const drafting of this.drafts.values()) {
      drafting.trouble = [];
      void drafting.fetch();
    }
  }

  private happened(name: string, ask: AskResponse): void {
    const known = this.asks.has(ask.id);
    const mine = ask.resolution?.responder?.person === this.me.person;
    const trouble = ask.state === "overruled" || ask.state === "undelivered";
    if (this.past.has(ask.id)) this.past.set(ask.id, ask);
    // What ended while nobody looked is History's; except what did not arrive as meant.
    if (known || ask.state === "open" || (mine && trouble)) {
      this.update(ask);
      if (name === "ask.opened" && ask.state === "open") this.arrived(ask);
      else if (ask.state !== "open") this.ended(name, ask);
    }
    if (!this.alarms.ring(ask)) return;
    this.hasMoved();
    if (this.caughtUp) notifications.show(ask);
  }

  private arrived(ask: AskResponse): void {
    const where = projectName(ask.asker);
    this.announcement = `${headline(ask)}${where ? `, in ${where}` : ""}: ${gist(ask)}`;
    if (this.caughtUp) notifications.show(ask);
  }

  private ended(name: string, ask: AskResponse): void {
    notifications.close(ask.id);
    this.typing.delete(ask.id);
    const what = `${agentName(ask.asker)}: ${gist(ask).slice(0, 80)}`;
    if (name === "ask.resolved") {
      const by = ask.resolution?.responder ? `, ${who(ask.resolution.responder, this.me)}` : "";
      this.announcement = `${what}: ${deed(ask)}${by}`;
    } else if (ask.state === "overruled" || ask.state === "undelivered") {
      this.announcement = `${what}: ${ask.state}`;
      this.folded.set(ask.id, false);
    }
  }

  /** What is older than what is known is no news. */
  private update(ask: AskResponse): void {
    const known = this.asks.get(ask.id);
    if (known && known.seq > ask.seq) return;
    if (known?.state === "open" && ask.state !== "open") this.makeRoom();
    // Decided once: a card does not unfold by itself when another one goes.
    if (!known) this.folded.set(ask.id, ask.state === "open" && this.unfolded >= MOST_UNFOLDED);
    this.asks.set(ask.id, ask);
  }

  /** An ask has ended: those that ended before it, and have arrived, need no more than a line. */
  private makeRoom(): void {
    this.hasMoved();
    for (const ask of this.inOrder) {
      const arrived = ask.state === "delivered" || ask.resolution?.kind === "withdrawn";
      if (arrived && (this.drafts.get(ask.id)?.isEmpty ?? true)) this.folded.set(ask.id, true);
    }
  }

  private get unfolded(): number {
    return this.waiting.filter((ask) => !this.folded.get(ask.id)).length;
  }

  private someoneTypes(id: string): void {
    if (this.drafts.get(id)?.isEcho()) return;
    clearTimeout(this.typing.get(id));
    this.typing.set(id, window.setTimeout(() => this.typing.delete(id), TYPING_MS));
  }

  private async notTaken(ask: AskResponse, drafting: Drafting, error: unknown): Promise<void> {
    if (!(error instanceof Refused)) {
      drafting.trouble = ["The hub cannot be reached. Nothing is lost: try again when it is back."];
      return;
    }
    if (error.code === "already_resolved") {
      // Somebody was faster: the card then says who and what, and the words stay.
      this.update(await this.api.ask(ask.id).catch(() => ask));
      return;
    }
    drafting.trouble = lines(error.problem);
  }
}
