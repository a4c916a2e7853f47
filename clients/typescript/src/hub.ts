import { randomUUID } from "node:crypto";

import { HandraiseError, HubUnreachable } from "./errors.js";
import type { Place, Power } from "./home.js";
import type { Question } from "./questions.js";
import {
  type Ask,
  type Resolution,
  parse,
  readAsk,
  readProblem,
  readQuestions,
  readResolution,
} from "./responses.js";

/** The longest wait for the end of an ask in one request; then the hub is asked again. */
const WAIT_SECONDS = 30;
/** How long a request may take in all, beside what it waits for. */
const OVERHEAD_SECONDS = 30;
/** More than a hub has to say about one ask. */
const MAX_RESPONSE_BYTES = 32 * 1024 * 1024;

interface Call {
  body?: unknown;
  power?: Power;
  waitSeconds?: number;
  signal?: AbortSignal | undefined;
}

/** Requests to a hub, and what comes back. */
export class Hub {
  /** `deliverer` is the caller's name to the hub: the one that brings answers to the agent. */
  constructor(
    private readonly place: Place,
    private readonly deliverer: string,
  ) {}

  /** Asks, or finds what was asked before with the same key. */
  async ask(body: unknown, signal: AbortSignal): Promise<Ask> {
    return readAsk(await this.call("POST", "/asks", { body, signal }));
  }

  /**
   * Waits for the end of an ask of so many questions, or of an approval; nothing while it is open.
   *
   * An end that an agent's receipt claims is not an answer, and counts as withdrawn.
   */
  async resolution(
    id: string,
    questions: number | null,
    signal: AbortSignal,
  ): Promise<Resolution | undefined> {
    const path = `/asks/${id}/resolution?wait=${WAIT_SECONDS}`;
    const ended = await this.call("GET", path, { waitSeconds: WAIT_SECONDS, signal });
    return ended === undefined ? undefined : readResolution(ended, questions);
  }

  /** Says that the agent is being handed its answer. */
  async receipt(id: string, text: string | undefined, signal: AbortSignal): Promise<void> {
    const body = { level: "handed", text: text ?? null };
    await this.call("POST", `/asks/${id}/receipt`, { body, signal });
  }

  /** Takes an ask back. */
  async withdraw(id: string, reason: string, signal: AbortSignal): Promise<void> {
    await this.call("POST", `/asks/${id}/withdraw`, { body: { reason }, signal });
  }

  /** The questions of an ask, as a person sees them; `null` for an approval. */
  async questions(id: string): Promise<Question[] | null> {
    const path = `/asks/${encodeURIComponent(id)}`;
    return readQuestions(await this.call("GET", path, { power: "person" }));
  }

  /** What a person says to an ask. */
  async reply(id: string, verb: "answer" | "decline", said: object): Promise<void> {
    const body = { ...said, idempotencyKey: randomUUID() };
    await this.call("POST", `/asks/${encodeURIComponent(id)}/${verb}`, { body, power: "person" });
  }

  private async call(method: string, path: string, call: Call): Promise<unknown> {
    const { url, token } = await this.place.address(call.power ?? "agent");
    const headers: Record<string, string> = {
      authorization: `Bearer ${token}`,
      "handraise-deliverer": this.deliverer,
    };
    const request: RequestInit = { method, headers, redirect: "error" };
    if (call.body !== undefined) {
      headers["content-type"] = "application/json";
      request.body = encoded(call.body);
    }
    const patience = bounded((call.waitSeconds ?? 0) + OVERHEAD_SECONDS, call.signal);
    try {
      const response = await fetch(`${url}/api/v1${path}`, { ...request, signal: patience.signal });
      const text = await read(response, patience.signal);
      if (!response.ok) {
        throw problem(response.status, text);
      }
      return response.status === 204 ? undefined : parse(text);
    } catch (error) {
      if (error instanceof HandraiseError) {
        throw error;
      }
      // Whoever waits no longer is told so, and not that the hub is away.
      call.signal?.throwIfAborted();
      throw new HubUnreachable(`the hub at ${url} does not answer: ${cause(error)}`);
    } finally {
      patience.end();
    }
  }
}

/** The body, unless it is longer than what is read or takes too long; then the connection is closed. */
async function read(response: Response, signal: AbortSignal): Promise<string> {
  const reader = response.body?.getReader();
  // `fetch` forgets its signal when what it returned is collected as garbage.
  const cancel = () => void reader?.cancel().catch(() => {});
  signal.addEventListener("abort", cancel);
  // One buffer: an object for each chunk would be much larger than a chunk of one byte.
  let body = Buffer.alloc(64 * 1024);
  let length = 0;
  try {
    for (;;) {
      const chunk = (await reader?.read())?.value;
      signal.throwIfAborted();
      if (chunk === undefined) {
        return body.toString("utf8", 0, length);
      }
      const needed = length + chunk.byteLength;
      if (needed > MAX_RESPONSE_BYTES) {
        throw new Error(`it sends more than ${MAX_RESPONSE_BYTES / 1024 / 1024} MiB`);
      }
      if (needed > body.length) {
        body = Buffer.concat([body], Math.max(needed, 2 * body.length));
      }
      body.set(chunk, length);
      length = needed;
    }
  } finally {
    signal.removeEventListener("abort", cancel);
    cancel();
  }
}

function encoded(body: unknown): string {
  try {
    return JSON.stringify(body);
  } catch {
    throw new HandraiseError("invalid", "what is asked is nested too deeply");
  }
}

/** A signal that comes after so many seconds, or with another one. */
export interface Bounded {
  signal: AbortSignal;
  /** Nothing of it is left afterwards: no timer, no listener. */
  end(): void;
}

export function bounded(seconds: number, outer?: AbortSignal): Bounded {
  const controller = new AbortController();
  const abort = () => controller.abort(outer?.reason);
  const late = () => controller.abort(new Error("it takes too long"));
  const timer = setTimeout(late, seconds * 1000);
  if (outer?.aborted) {
    abort();
  }
  outer?.addEventListener("abort", abort);
  return {
    signal: controller.signal,
    end() {
      clearTimeout(timer);
      outer?.removeEventListener("abort", abort);
    },
  };
}

function problem(status: number, body: string): HandraiseError {
  const { code, message } = readProblem(status, body);
  // A hub that is busy, or a proxy whose hub is away, is worth another try.
  const isAway = [429, 502, 503, 504].includes(status) && code !== "too_many_open";
  return isAway ? new HubUnreachable(message) : new HandraiseError(code, message);
}

/** The cause of the cause is what a person can do something about: "connection refused". */
function cause(error: unknown): string {
  while (error instanceof Error && error.cause !== undefined) {
    error = error.cause;
  }
  return error instanceof Error ? error.message || error.name : String(error);
}
