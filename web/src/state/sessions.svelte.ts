/** Sessions as they stand: listed once, then kept true by the dashboard's line. */

import { SvelteMap } from "svelte/reactivity";

import type { AskResponse, MessageJson, SessionJson, SessionsResponse, StreamedJson } from "../generated/v1";
import type { Api } from "../hub/api";
import { Refused } from "../hub/problem";
import { Conversation } from "./conversation.svelte";
import { Talk } from "./talk.svelte";

/** Whose session it is, as asks say it and as sessions do. */
const nameOf = (agent: string, session: string) => `${agent}\n${session}`;

export class Sessions {
  readonly all = new SvelteMap<string, SessionJson>();
  readonly inOrder = $derived([...this.all.values()].sort((a, b) => (a.id < b.id ? 1 : -1)));
  private readonly byName = $derived.by(() => {
    const ids = new Map<string, string>();
    for (const { id, agent, agentSession } of this.inOrder.toReversed()) if (agentSession !== null) ids.set(nameOf(agent, agentSession), id);
    return ids;
  });
  /** Where a person may start one. */
  startIn = $state.raw<string[]>([]);
  /** Where older ones follow; null on the last page, and unknown before anybody has looked. */
  next = $state<string | null | undefined>(undefined);
  /** Those somebody asked for that do not exist. */
  readonly missing = new SvelteMap<string, true>();

  private readonly conversations = new Map<string, Conversation>();
  private readonly talks = new Map<string, Talk>();
  private readonly heardAt = new Map<string, number>();
  private count = 0;

  constructor(private readonly api: Api) {}

  /** In which session an ask was asked; the newest, where an agent went on with an old one. */
  of({ asker }: AskResponse): string | undefined {
    return asker.session === null ? undefined : this.byName.get(nameOf(asker.agent, asker.session));
  }

  /** The open asks of each session, by its id. */
  waiting(open: AskResponse[]): Map<string, AskResponse[]> {
    const found = new Map<string, AskResponse[]>();
    for (const ask of open) {
      const id = this.of(ask);
      if (id === undefined) continue;
      const asks = found.get(id);
      if (asks) asks.push(ask);
      else found.set(id, [ask]);
    }
    return found;
  }

  /** Everything that is not over, as it stands. */
  async list(): Promise<void> {
    const before = this.count;
    const page = await this.api.liveSessions();
    this.take(page, before);
    const found = new Set(page.sessions.map(({ id }) => id));
    for (const { id, state } of [...this.all.values()]) {
      if (state !== "ended" && !found.has(id)) await this.lookUp(id);
    }
  }

  /** What is over, a page further; pages with nothing but live ones are passed by. */
  async more(): Promise<void> {
    let ended: SessionJson[];
    do {
      const before = this.count;
      const page = await this.api.sessions(this.next ?? null);
      this.take(page, before);
      this.next = page.next;
      ended = page.sessions.filter(({ state }) => state === "ended");
    } while (!ended.length && this.next);
  }

  /** One that is on no list: it has ended, or somebody has followed a link to it. */
  async lookUp(id: string): Promise<void> {
    const before = this.count;
    try {
      this.keep(await this.api.session(id), before);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.refusedFor(id, error);
    }
  }

  /** What was said in one, for as long as somebody looks. */
  open(session: SessionJson): Conversation {
    const conversation = new Conversation(this.api, session, (error) => this.refusedFor(session.id, error));
    this.conversations.set(session.id, conversation);
    void conversation.load();
    return conversation;
  }

  close(id: string): void {
    this.conversations.delete(id);
  }

  talk(place: string): Talk {
    const talk = this.talks.get(place) ?? new Talk(place);
    this.talks.set(place, talk);
    return talk;
  }

  heard(session: SessionJson, messages: MessageJson[]): void {
    this.heardAt.set(session.id, (this.count += 1));
    this.all.set(session.id, session);
    this.conversations.get(session.id)?.heard(session, messages);
  }

  spoke(id: string, piece: StreamedJson): void {
    this.conversations.get(id)?.spoke(piece);
  }

  /** The line was away: what was being said meanwhile is told by nobody but the hub's memory. */
  refresh(): void {
    for (const conversation of this.conversations.values()) void conversation.load();
  }

  overhear(event: StorageEvent): void {
    for (const talk of this.talks.values()) talk.overhear(event);
  }

  private take(page: SessionsResponse, asOf: number): void {
    this.startIn = page.startIn;
    for (const session of page.sessions) this.keep(session, asOf);
  }

  /** What was heard while this was on its way is newer, or is followed by what is. */
  private keep(session: SessionJson, asOf: number): void {
    if ((this.heardAt.get(session.id) ?? 0) <= asOf) this.all.set(session.id, session);
  }

  private refusedFor(id: string, error: Refused): void {
    if (error.code !== "no_such_session") return;
    this.missing.set(id, true);
    this.all.delete(id);
  }
}
