import { randomUUID } from "node:crypto";

import { HandraiseError, HubUnreachable } from "./errors.js";
import type { Place, Power } from "./home.js";
import type { Answer, Question } from "./questions.js";

/** The name of this process to the hub: the one that brings answers to the agent. */
const DELIVERER = randomUUID();
/** The longest wait for the end of an ask in one request; then the hub is asked again. */
const WAIT_SECONDS = 30;
/** How long a request may take beside what it waits for. */
const OVERHEAD_SECONDS = 30;

/** An ask as the hub has it. */
export interface Ask {
  id: string;
  questions: Question[] | null;
  policy: { deadlineSeconds: number | null; onDeadline: "tell" | "interrupt" };
}

/** How an ask ended. */
export type Resolution =
  | {
      kind: "answered";
      answers?: Answer[];
      decision?: "allow" | "deny";
      message?: string | null;
      input?: Record<string, unknown> | null;
      remember?: boolean | null;
    }
  | { kind: "declined" | "withdrawn"; reason: string | null }
  | { kind: "discuss"; words: string }
  | { kind: "no_answer"; afterSeconds: number };

/** Who ended it. */
interface By {
  responder?: { surface: string } | null;
}

interface Problem {
  code?: string;
  title?: string;
  violations?: { path: string; found: string; allowed: string }[];
}

interface Call {
  body?: unknown;
  power?: Power;
  waitSeconds?: number;
  signal?: AbortSignal | undefined;
}

/** Requests to a hub, and what comes back. */
export class Hub {
  constructor(private readonly place: Place) {}

  /** Asks, or finds what was asked before with the same key. */
  async ask(body: unknown, signal: AbortSignal): Promise<Ask> {
    return (await this.call("POST", "/asks", { body, signal })) as Ask;
  }

  /** Waits for the end of an ask, as far as it is an answer; nothing while it is open. */
  async resolution(id: string, signal: AbortSignal): Promise<Resolution | undefined> {
    const path = `/asks/${id}/resolution?wait=${WAIT_SECONDS}`;
    const ended = await this.call("GET", path, { waitSeconds: WAIT_SECONDS, signal });
    return ended === undefined ? undefined : givenAtTheHub(ended as Resolution & By);
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

  /** One ask as it stands, as a person sees it. */
  async get(id: string): Promise<Ask> {
    return (await this.call("GET", `/asks/${encodeURIComponent(id)}`, { power: "person" })) as Ask;
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
      "handraise-deliverer": DELIVERER,
    };
    const request: RequestInit = { method, headers, redirect: "error" };
    if (call.body !== undefined) {
      headers["content-type"] = "application/json";
      request.body = JSON.stringify(call.body);
    }
    const patience = bounded((call.waitSeconds ?? 0) + OVERHEAD_SECONDS, call.signal);
    try {
      const response = await fetch(`${url}/api/v1${path}`, { ...request, signal: patience.signal });
      const text = await response.text();
      if (!response.ok) {
        throw problem(response.status, text);
      }
      return text === "" ? undefined : JSON.parse(text);
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

/** The resolution; one that an agent's receipt claims is not an answer, and counts as withdrawn. */
function givenAtTheHub(resolution: Resolution & By): Resolution {
  const claimed = resolution.responder
    ? resolution.responder.surface === "dialog"
    : ["answered", "declined", "discuss"].includes(resolution.kind);
  return claimed ? { kind: "withdrawn", reason: "it ended outside the hub" } : resolution;
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
  const timer = setTimeout(abort, seconds * 1000);
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

function problem(status: number, text: string): HandraiseError {
  let problem: Problem = {};
  try {
    problem = JSON.parse(text);
  } catch {
    // Not the hub's words: a proxy's, perhaps.
  }
  const code = problem.code ?? "unreadable";
  const title = problem.title ?? `the hub answered with status ${status}`;
  // A hub that is busy, or a proxy whose hub is away, is worth another try.
  if ([429, 502, 503, 504].includes(status) && code !== "too_many_open") {
    return new HubUnreachable(title);
  }
  const wrong = (problem.violations ?? []).map(
    ({ path, found, allowed }) => `${path}: found ${found}, allowed ${allowed}`,
  );
  return new HandraiseError(code, [title, ...wrong].join("; "));
}

/** The cause of the cause is what a person can do something about: "connection refused". */
function cause(error: unknown): string {
  while (error instanceof Error && error.cause !== undefined) {
    error = error.cause;
  }
  return error instanceof Error ? error.message || error.name : String(error);
}
