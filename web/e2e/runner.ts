/** The agent's side of a session, played through the API: what `handraise run` would tell the hub. */

import type { AskResponse, MessageJson, SessionJson } from "../src/generated/v1.ts";
import type { Asking, Hub } from "./hub.ts";

type Told = { state?: SessionJson["state"]; trouble?: string; title?: string; agentSession?: string };
type Saying = { key: string; kind: MessageJson["kind"]; text?: string; state?: string; tool?: { name: string; input: string; result?: string | null }; ask?: string };

let counted = 0;

export class Runner {
  private constructor(
    private readonly hub: Hub,
    readonly id: string,
    /** The agent's own name for the session. */
    readonly name: string,
  ) {}

  /** Opens a session whose agent works already. */
  static async begin(hub: Hub, more: Partial<SessionJson> & Told = {}): Promise<Runner> {
    const { directory = "/home/ann/shop", host = "laptop", title = "Checkout redesign", agent = "claude-code", state = "working" } = more;
    const name = `agent-session-${(counted += 1)}`;
    const { id } = await hub.call<SessionJson>("agent", "POST", "sessions", { agent, directory, host, title });
    const runner = new Runner(hub, id, name);
    await runner.tell({ state, agentSession: name });
    return runner;
  }

  tell = (told: Told, ...messages: Saying[]) => this.hub.call<{ session: SessionJson; messages: MessageJson[] }>("agent", "POST", `sessions/${this.id}/progress`, { ...told, messages });
  say = (key: string, text: string) => this.tell({}, { key, kind: "assistant", text });
  note = (key: string, text: string, state?: string) => this.tell({}, { key, kind: "note", text, ...(state ? { state } : {}) });
  tool = (key: string, state: "running" | "done" | "failed", name: string, input: string, result: string | null = null) => this.tell({}, { key, kind: "tool", state, tool: { name, input, result } });
  /** The agent has got what a person said. */
  deliver = (message: MessageJson) => this.tell({}, { key: message.key, kind: "user", state: "delivered" });

  /** Says a piece of a message; `before` is all that came before it. */
  stream = (key: string, before: string, text: string) => this.hub.call("agent", "POST", `sessions/${this.id}/text`, { key, offset: Buffer.byteLength(before), text });

  /** Asks, and puts the ask into the conversation. */
  async ask(asking: Asking): Promise<AskResponse> {
    const ask = await this.hub.ask({ ...asking, asker: { session: this.name, ...asking.asker } });
    await this.tell({}, { key: `ask/${ask.id}`, kind: "ask", ask: ask.id });
    return ask;
  }

  session = () => this.hub.call<SessionJson>("agent", "GET", `sessions/${this.id}`);
  messages = async () => (await this.hub.call<{ messages: MessageJson[] }>("agent", "GET", `sessions/${this.id}/messages?limit=500`)).messages;
  /** What people have said so far. */
  words = async () => (await this.messages()).filter(({ kind }) => kind === "user");
  /** As a person at another surface. */
  hear = (text: string) => this.hub.call<{ message: MessageJson }>("person", "POST", `sessions/${this.id}/messages`, { text });
}
