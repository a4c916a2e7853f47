/**
 * What was said in one session, and what is being said just now.
 *
 * Two sources must agree: pages that are fetched, and news from the line. What is heard while a page is on
 * its way is newer than the page, or is followed by something that is.
 */

import type { MessageJson, MessagesResponse, SessionJson, StreamedJson } from "../generated/v1";
import type { Api } from "../hub/api";
import { Refused } from "../hub/problem";

/** So many of the last messages are shown at first, and so many more each time. */
export const SHOWN = 100;
/** So long after it failed it is fetched again. */
const AGAIN_MS = 1_000;

type Spoken = { key: string; text: string; bytes: number };

const encoder = new TextEncoder();
const size = (text: string) => encoder.encode(text).length;

export class Conversation {
  /** In their order, from number `first` on. */
  messages = $state.raw<MessageJson[]>([]);
  /** What the agent is saying, as far as it came. */
  speaking = $state.raw<Spoken | null>(null);
  loaded = $state(false);
  first = $state(1);

  private readonly known = new Map<number, MessageJson>();
  /** When a message was last heard of, counted in things heard. */
  private readonly heardAt = new Map<number, number>();
  private spokenAt = 0;
  private count = 0;
  private loading = false;
  private stale = false;
  /** Pieces that came after a gap, until what is between was fetched. */
  private held: StreamedJson[] = [];
  /** What had a gap that nobody can fill: it is shown when it was said. */
  private torn: string | null = null;

  constructor(
    private readonly api: Pick<Api, "messages">,
    private readonly session: Pick<SessionJson, "id" | "messages">,
    private readonly refused: (error: Refused) => void,
  ) {
    this.first = Math.max(1, session.messages - SHOWN + 1);
  }

  /** Fetches everything that is shown anew, and what came since. */
  async load(): Promise<void> {
    this.stale = true;
    if (this.loading) return;
    this.loading = true;
    try {
      while (this.stale) {
        this.stale = false;
        await this.fetch();
      }
      this.loaded = true;
      this.torn = null;
      for (const piece of this.held.splice(0)) if (!this.append(piece)) this.torn = piece.key;
    } catch (error) {
      if (error instanceof Refused) this.refused(error);
      else setTimeout(() => void this.load(), AGAIN_MS);
    } finally {
      this.loading = false;
    }
  }

  /** Fetches what was said before what is shown. */
  async earlier(): Promise<void> {
    const before = this.count;
    const end = this.first;
    const first = Math.max(1, end - SHOWN);
    const { messages } = await this.api.messages(this.session.id, first - 1, end - first);
    this.first = first;
    this.take(messages, before);
    // A page of very long messages ends early.
    if (messages.length < end - first) await this.load();
  }

  /** The hub has a person's words; the line will tell the same. */
  said(message: MessageJson): void {
    if (!this.known.has(message.number)) this.take([message], this.count);
  }

  /** Something in the session has changed. */
  heard(session: SessionJson, messages: MessageJson[]): void {
    this.count += 1;
    for (const { number } of messages) this.heardAt.set(number, this.count);
    this.take(messages, this.count);
    // The hub does the same: nobody speaks who does not work.
    if (session.state !== "working") this.speaking = null;
    const last = this.messages.at(-1)?.number ?? this.first - 1;
    const gap = this.messages.length !== last - this.first + 1 || last < session.messages;
    if (gap && this.loaded) void this.load();
  }

  /** The agent has said a little more. */
  spoke(piece: StreamedJson): void {
    if (piece.key === this.torn || this.append(piece)) return;
    this.held.push(piece);
    if (!this.loading) void this.load();
  }

  private async fetch(): Promise<void> {
    const before = this.count;
    let after = this.first - 1;
    let page: MessagesResponse;
    while ((page = await this.api.messages(this.session.id, after)).messages.length) {
      this.take(page.messages, before);
      after = page.messages.at(-1)!.number;
    }
    this.catchUp(page.speaking, before);
  }

  /** Takes over what is not older than what is known. */
  private take(messages: MessageJson[], asOf: number): void {
    for (const message of messages) {
      if (message.number < this.first || (this.heardAt.get(message.number) ?? 0) > asOf) continue;
      this.known.set(message.number, message);
    }
    this.messages = [...this.known.values()].sort((a, b) => a.number - b.number);
    if (this.speaking && this.isSaid(this.speaking.key)) this.speaking = null;
  }

  private catchUp(theirs: StreamedJson | null, asOf: number): void {
    const ours = this.speaking;
    const bytes = theirs ? size(theirs.text) : 0;
    if (this.spokenAt > asOf && !(theirs?.key === ours?.key && bytes > (ours?.bytes ?? 0))) return;
    this.speaking = theirs && !this.isSaid(theirs.key) ? { key: theirs.key, text: theirs.text, bytes } : null;
  }

  /** Whether the piece fits, or is known already. Places are counted in bytes, as the hub counts. */
  private append({ key, offset, text }: StreamedJson): boolean {
    if (this.isSaid(key)) return true;
    const known = this.speaking?.key === key ? this.speaking : { key, text: "", bytes: 0 };
    const bytes = size(text);
    if (offset + bytes <= known.bytes) return true;
    if (offset !== known.bytes) return false;
    this.spokenAt = this.count += 1;
    this.speaking = { key, text: known.text + text, bytes: known.bytes + bytes };
    return true;
  }

  private isSaid(key: string): boolean {
    return this.messages.some((message) => message.key === key);
  }
}
