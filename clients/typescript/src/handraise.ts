import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { resolve } from "node:path";

import type { CanUseTool, PermissionResult } from "@anthropic-ai/claude-agent-sdk";

import { type Said, toApi } from "./answers.js";
import { HandraiseError, HubUnreachable } from "./errors.js";
import { type Place, home, named } from "./home.js";
import { Hub, bounded } from "./hub.js";
import { echoed, kept } from "./metadata.js";
import { Patience, REAL_CLOCK, Silence } from "./patience.js";
import type { Question } from "./questions.js";
import { type Ask, type Resolution, isReusable } from "./responses.js";
import { type Rules, type Wishes, checked, policy, verdict, wrong } from "./rules.js";
import { answered, notAllowed, notAnswered, notAsked } from "./wording.js";

/** All of it is optional. The rules override those of the preset; the hub bounds and keeps them. */
export interface Options extends Wishes {
  /** What the session is about, for whoever reads its questions. */
  title?: string;
  /** Where the agent works; the current directory when absent. */
  directory?: string;
  /** Your own name for the session. */
  session?: string;
  /** The hub's home; else `$HANDRAISE_HOME`, else the platform's data directory. */
  home?: string;
  /** In place of a home: where the hub is, and its tokens. */
  url?: string;
  token?: string;
  personToken?: string;
}

/** A call that waits for a person. */
export interface Waiting {
  askId: string;
  toolUseId: string;
  tool: string;
  input: Record<string, unknown>;
}

type CallOptions = Parameters<CanUseTool>[2];
type Matter = { kind: "question"; questions: Question[] } | { kind: "approval"; approval: object };
type Told = (resolution: Resolution, interrupts: boolean) => PermissionResult;

const KNOWN = new Set<string>([
  ...["preset", "tools", "deadline", "onDeadline", "onDisconnect", "ownWords"],
  ...["title", "directory", "session", "home", "url", "token", "personToken"],
]);
const QUESTION = "AskUserQuestion";
const PLAN = "ExitPlanMode";
/** Under this name JavaScript keeps nothing: the model would read that nobody answered. */
const UNANSWERABLE = "__proto__";
/** How long a hub may take to note that an answer is handed over, or that nobody waits. */
const PARTING_SECONDS = 2;
/** The last key with a number that a call tries, before one with a random end. */
const MAX_KEY_NUMBER = 100;
/** Why an ask is taken back, as people read it. */
const GONE = "the agent no longer waits for it";

/** Carries what an agent asks to a hub, and what a person says back. */
export class Handraise {
  readonly #rules: Rules;
  readonly #place: Place;
  readonly #session: string;
  readonly #asker: object;
  readonly #deliverer = randomUUID();
  /** The keys of all calls: a model may use the id of a call twice. */
  readonly #usedKeys = new Set<string>();
  readonly #waiting = new Map<string, Waiting>();
  /** Asks that were given up while the hub was away: it hears of it when it is back. */
  readonly #givenUp = new Set<string>();
  /** Replaced in tests. */
  private clock = REAL_CLOCK;

  constructor(options: Options = {}) {
    const { title, directory, session, url, token, personToken } = options;
    for (const field of Object.keys(options)) {
      if (!KNOWN.has(field)) {
        throw new TypeError(`${field}: unknown, allowed ${[...KNOWN].join(", ")}`);
      }
    }
    if (url === undefined && (token ?? personToken) !== undefined) {
      throw new TypeError("url: missing, allowed with token and personToken only");
    }
    if (url !== undefined && options.home !== undefined) {
      throw wrong("home", options.home, "one of home and url");
    }
    this.#rules = checked(options);
    this.#place =
      url === undefined ? home(options.home) : named(url, { agent: token, person: personToken });
    this.#session = session ?? randomUUID();
    this.#asker = {
      agent: "claude-agent-sdk",
      session: this.#session,
      directory: resolve(directory ?? "."),
      host: hostname(),
      title: title ?? null,
    };
  }

  /**
   * For the SDK's `env`, which replaces the whole environment: this process's own, and the word at
   * which hooks of Handraise keep out of it.
   */
  get environment(): Record<string, string | undefined> {
    return { ...process.env, HANDRAISE_OWNER: "1" };
  }

  /** What waits for a person now, oldest first. */
  get waiting(): Waiting[] {
    return [...this.#waiting.values()];
  }

  /** For the SDK's `canUseTool`. */
  readonly canUseTool: CanUseTool = async (tool, input, options) => {
    if (tool === QUESTION) {
      return this.#putQuestions(input, options);
    }
    switch (verdict(this.#rules, tool)) {
      case "approve":
        return { behavior: "allow", updatedInput: input };
      case "deny":
        return deny(`${tool} is not allowed here. Nobody was asked.`);
      case "ask":
        return this.#putApproval(tool, input, options);
    }
  };

  /** Answers as the person: the exact text of each question to a label, labels or own words. */
  async answer(askId: string, answers: Record<string, Said>): Promise<void> {
    const hub = new Hub(this.#place, this.#deliverer);
    const questions = await hub.questions(askId);
    if (questions === null) {
      throw new HandraiseError("invalid", "answers: found for an approval, not for questions");
    }
    await hub.reply(askId, "answer", { answers: toApi(questions, answers) });
  }

  /** Declines to answer, as the person. */
  async decline(askId: string, reason?: string): Promise<void> {
    await new Hub(this.#place, this.#deliverer).reply(askId, "decline", { reason: reason ?? null });
  }

  async #putQuestions(
    input: Record<string, unknown>,
    options: CallOptions,
  ): Promise<PermissionResult> {
    const questions = input["questions"] as Question[];
    if (questions.some(({ question }) => question === UNANSWERABLE)) {
      const why = `a question with the text ${UNANSWERABLE} cannot be answered`;
      return deny(notAsked(why, "question"));
    }
    const { unanswered } = this.#rules;
    const matter = { kind: "question", questions, ...kept(input) } as const;
    return this.#carry(QUESTION, input, options, matter, (end, interrupts) => {
      if (end.kind === "answered" && "answers" in end) {
        const updatedInput = { ...answered(questions, end.answers), ...echoed(input) };
        return { behavior: "allow", updatedInput };
      }
      if (unanswered !== null && (end.kind === "declined" || end.kind === "no_answer")) {
        return deny(unanswered, interrupts);
      }
      return deny(notAnswered(end), interrupts && end.kind === "no_answer");
    });
  }

  async #putApproval(
    tool: string,
    input: Record<string, unknown>,
    options: CallOptions,
  ): Promise<PermissionResult> {
    const suggestions = options.suggestions ?? [];
    const approval = {
      tool,
      input,
      description: options.description ?? text(input["description"]),
      suggestions: suggestions.length > 0 ? suggestions : null,
      plan: tool === PLAN ? text(input["plan"]) : null,
    };
    return this.#carry(tool, input, options, { kind: "approval", approval }, (end, interrupts) => {
      if (end.kind !== "answered" || !("decision" in end) || end.decision !== "allow") {
        return deny(notAllowed(end), interrupts && end.kind === "no_answer");
      }
      const updatedInput = end.input ?? input;
      return end.remember
        ? { behavior: "allow", updatedInput, updatedPermissions: suggestions }
        : { behavior: "allow", updatedInput };
    });
  }

  /** Has the hub ask, waits for the end, and says that it is handed over. */
  async #carry(
    tool: string,
    input: Record<string, unknown>,
    { signal, toolUseID }: CallOptions,
    matter: Matter,
    told: Told,
  ): Promise<PermissionResult> {
    const rules = this.#rules;
    const hub = new Hub(this.#place, this.#deliverer);
    const body = { asker: this.#asker, key: "", policy: policy(rules), ...matter };
    const questions = matter.kind === "question" ? matter.questions.length : null;
    const patience = new Patience(rules, this.clock, signal);
    let interrupts = rules.onDeadline === "interrupt";
    let ask: Ask | undefined;
    signal.throwIfAborted();
    try {
      ask = await this.#ask(hub, patience, body, toolUseID, signal);
      const { id } = ask;
      await this.#withdrawGivenUp(hub);
      // What the hub grants counts, not what was wished for.
      patience.deadline = ask.policy.deadlineSeconds;
      interrupts = ask.policy.interrupts;
      this.#waiting.set(body.key, { askId: id, toolUseId: toolUseID, tool, input });
      let end: Resolution | undefined;
      while (end === undefined) {
        end = await patience.insist(() => hub.resolution(id, questions, signal));
      }
      const result = told(end, interrupts);
      const message = result.behavior === "deny" ? result.message : undefined;
      await parting((parting) => hub.receipt(id, message, parting));
      return result;
    } catch (error) {
      if (signal.aborted) {
        this.#waiting.delete(body.key);
        await parting(async (parting) => {
          // What was on its way when this was cancelled is found again by its key.
          const known = await hub.ask(body, parting);
          if (isReusable(known)) {
            await hub.withdraw(known.id, GONE, parting);
          }
        });
        throw signal.reason;
      }
      const away = error instanceof Silence || error instanceof HubUnreachable;
      if (away && ask !== undefined) {
        this.#givenUp.add(ask.id);
      }
      if (error instanceof Silence) {
        return told({ kind: "no_answer", afterSeconds: error.seconds }, interrupts);
      }
      if (error instanceof HandraiseError) {
        console.warn(`handraise: ${tool} was not put to a person: ${error.message}`);
        return deny(notAsked(error.message, tool === QUESTION ? "question" : "approval"));
      }
      throw error;
    } finally {
      this.#waiting.delete(body.key);
    }
  }

  /**
   * Asks with a key that no other call has used: programs and models may use an id twice.
   *
   * The hub may know the key from a process that has ended. An answer which that process did not hand
   * over is taken; otherwise the call is asked with another key.
   */
  async #ask(
    hub: Hub,
    patience: Patience,
    body: { key: string },
    toolUseId: string | undefined,
    signal: AbortSignal,
  ): Promise<Ask> {
    for (const key of this.#newKeys(toolUseId)) {
      body.key = key;
      try {
        const ask = await patience.insist(() => hub.ask(body, signal));
        if (isReusable(ask)) {
          return ask;
        }
      } catch (error) {
        if (!(error instanceof HandraiseError) || error.code !== "key_reused") {
          throw error;
        }
      }
    }
    throw new HandraiseError("unreadable", "the hub gives an old ask for every new key");
  }

  *#newKeys(toolUseId: string | undefined): Generator<string> {
    const first = `${this.#session}/${toolUseId ?? randomUUID()}`;
    const numbered = Array.from({ length: MAX_KEY_NUMBER - 1 }, (_, i) => `${first}#${i + 2}`);
    for (const key of [first, ...numbered, `${first}#${randomUUID()}`]) {
      if (!this.#usedKeys.has(key)) {
        this.#usedKeys.add(key);
        yield key;
      }
    }
  }

  async #withdrawGivenUp(hub: Hub): Promise<void> {
    for (const id of this.#givenUp) {
      // The first try may go over a connection to the hub that is gone.
      for (let tries = 0; tries < 2 && this.#givenUp.has(id); tries++) {
        await parting(async (parting) => {
          try {
            await hub.withdraw(id, GONE, parting);
          } catch (error) {
            if (error instanceof HubUnreachable || !(error instanceof HandraiseError)) {
              throw error;
            }
            // It has ended, or is not ours.
          }
          this.#givenUp.delete(id);
        });
      }
    }
  }
}

/** A last word to the hub, if it is there to hear it. */
async function parting(say: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const patience = bounded(PARTING_SECONDS);
  try {
    await say(patience.signal);
  } catch (error) {
    if (!(error instanceof HandraiseError) && !patience.signal.aborted) {
      throw error;
    }
  } finally {
    patience.end();
  }
}

function deny(message: string, interrupt = false): PermissionResult {
  return interrupt
    ? { behavior: "deny", message, interrupt }
    : { behavior: "deny", message };
}

function text(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
