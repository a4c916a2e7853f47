/** The hub's API as this page uses it. */

import type {
  AnswerParams,
  AskResponse,
  AsksResponse,
  DeclineParams,
  DevicesResponse,
  DiscussParams,
  DraftJson,
  ExtendParams,
  InterruptParams,
  LinkResponse,
  LoginParams,
  LoginResponse,
  LookParams,
  MessagesResponse,
  PreviewParams,
  PreviewResponse,
  Problem,
  SayParams,
  SayResponse,
  SessionJson,
  SessionsResponse,
  StartParams,
  StatusResponse,
  TimesResponse,
} from "../generated/v1";
import { read } from "./json";
import { Refused, Unreachable } from "./problem";

/** Whoever has not answered by then will not. */
const PATIENCE_MS = 15_000;
export const LARGEST_PAGE = 500;
/** So many of History, or of sessions that are over, at a time. */
export const PAGE = 50;

/** What History looks for; what is empty does not count. */
export type Sought = {
  text?: string;
  project?: string;
  agent?: string;
  person?: string;
  kind?: string;
  doubted?: string;
};

/**
 * What the hub gives a page to send instead of its token: worth nothing to others once that hub is gone. While
 * there is no line to the hub there is none, and nothing is sent: another program may listen there.
 */
export class Ticket {
  private value: string | null = null;
  private lost = false;
  private waiting: (() => void)[] = [];

  renew(value: string): void {
    this.value = value;
    for (const go of this.waiting.splice(0)) go();
  }

  drop(): void {
    this.lost ||= this.value !== null;
    this.value = null;
  }

  /** Waits for the first one. */
  async get(): Promise<string> {
    if (this.value === null && !this.lost) {
      await new Promise<void>((resolve) => {
        this.waiting.push(resolve);
        setTimeout(resolve, PATIENCE_MS);
      });
    }
    if (this.value === null) throw new Error("no line to the hub");
    return this.value;
  }
}

export class Api {
  constructor(
    /** Null for a call that needs none. */
    private readonly ticket: Ticket | null,
    /** Is told the hub's date with everything the hub says. */
    private readonly dated: (date: string | null) => void = () => {},
  ) {}

  status = () => this.call<StatusResponse>("GET", "status");

  /** Every open ask, oldest first. */
  async open(): Promise<AskResponse[]> {
    const all: AskResponse[] = [];
    let after: string | null = null;
    do {
      const place: string = after ? `&after=${after}` : "";
      const path = `asks?state=open&limit=${LARGEST_PAGE}${place}`;
      const page: AsksResponse = await this.call<AsksResponse>("GET", path);
      all.push(...page.asks);
      after = page.next;
    } while (after);
    return all;
  }

  ask = (id: string) => this.call<AskResponse>("GET", `asks/${id}`);

  history(sought: Sought, after: string | null): Promise<AsksResponse> {
    const query = new URLSearchParams({ limit: String(PAGE) });
    for (const [name, value] of Object.entries({ ...sought, after })) {
      if (value?.trim()) query.set(name, value.trim());
    }
    return this.call<AsksResponse>("GET", `history?${query}`);
  }

  /** By this browser's own midnights. */
  times = () => this.call<TimesResponse>("GET", `times?offset=${-new Date().getTimezoneOffset()}`);

  answer = (id: string, params: AnswerParams) =>
    this.call<AskResponse>("POST", `asks/${id}/answer`, params);
  decline = (id: string, params: DeclineParams) =>
    this.call<AskResponse>("POST", `asks/${id}/decline`, params);
  discuss = (id: string, params: DiscussParams) =>
    this.call<AskResponse>("POST", `asks/${id}/discuss`, params);
  extend = (id: string, params: ExtendParams) =>
    this.call<AskResponse>("POST", `asks/${id}/extend`, params);

  draft = (id: string) => this.call<DraftJson | null>("GET", `asks/${id}/draft`);
  keepDraft = (id: string, draft: DraftJson) => this.call<null>("PUT", `asks/${id}/draft`, draft);
  dropDraft = (id: string) => this.call<null>("DELETE", `asks/${id}/draft`);

  /** The last word of a page may be said while it goes. */
  look = (params: LookParams) => this.call<null>("PUT", "attention", params, true);

  preview = (id: string, params: PreviewParams) =>
    this.call<PreviewResponse>("POST", `asks/${id}/previews`, params);

  /** Every session that is not over, or a page of all, the newest first. */
  liveSessions = () => this.call<SessionsResponse>("GET", `sessions?live=true&limit=${LARGEST_PAGE}`);
  sessions = (after: string | null) =>
    this.call<SessionsResponse>("GET", `sessions?limit=${PAGE}${after ? `&after=${after}` : ""}`);
  session = (id: string) => this.call<SessionJson>("GET", `sessions/${id}`);
  messages = (id: string, after: number, limit = LARGEST_PAGE) =>
    this.call<MessagesResponse>("GET", `sessions/${id}/messages?after=${after}&limit=${limit}`);
  tell = (id: string, params: SayParams) => this.call<SayResponse>("POST", `sessions/${id}/messages`, params);
  interrupt = (id: string, params: InterruptParams) => this.call<SessionJson>("POST", `sessions/${id}/interrupt`, params);
  endSession = (id: string) => this.call<SessionJson>("POST", `sessions/${id}/end`);
  startSession = (params: StartParams) => this.call<SessionJson>("POST", "sessions/start", params);

  devices = () => this.call<DevicesResponse>("GET", "devices");
  revoke = (id: string) => this.call<null>("DELETE", `devices/${id}`);
  link = () => this.call<LinkResponse>("POST", "links");
  login = (params: LoginParams) => this.call<LoginResponse>("POST", "login", params);

  private async call<T>(method: string, path: string, body?: unknown, keepalive = false): Promise<T> {
    const headers: Record<string, string> = { "handraise-surface": "web" };
    const init: RequestInit = { method, headers, keepalive };
    if (body !== undefined) {
      headers["content-type"] = "application/json";
      init.body = JSON.stringify(body);
    }
    let response: Response;
    let text: string;
    try {
      if (this.ticket) headers["authorization"] = `Bearer ${await this.ticket.get()}`;
      init.signal = AbortSignal.timeout(PATIENCE_MS);
      response = await fetch(`/api/v1/${path}`, init);
      text = await response.text();
      this.dated(response.headers.get("date"));
    } catch (cause) {
      throw new Unreachable("the hub cannot be reached", { cause });
    }
    if (response.ok) return (text ? read(text) : null) as T;
    const refused = problem(response.status, text);
    // The ticket is of a hub that is gone. The feed gets the next one, or finds that this browser is not known.
    if (refused.code === "bad_token") throw new Unreachable("the hub was restarted");
    throw new Refused(refused);
  }
}

/** What a proxy says in the hub's place need not be a problem as the hub writes it. */
function problem(status: number, text: string): Problem {
  try {
    const said = JSON.parse(text) as Problem;
    if (typeof said.code === "string" && typeof said.title === "string") return said;
  } catch {
    // Not JSON at all.
  }
  return { status, code: "unknown", title: `the hub answered with ${status}` };
}
