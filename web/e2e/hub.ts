/** A real hub on a home of its own, and the two tokens that speak to it. */

import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

import type { Page } from "@playwright/test";

import type {
  AskResponse,
  DeviceJson,
  DraftJson,
  JsonValue,
  LinkResponse,
  QuestionJson,
  StatusResponse,
} from "../src/generated/v1.ts";

export const PROGRAM = process.env.HANDRAISE_PROGRAM ?? join(import.meta.dirname, "../../target/debug/handraise");

export type Asking = {
  questions?: QuestionJson[];
  approval?: JsonValue;
  asker?: Record<string, string>;
  policy?: Record<string, JsonValue>;
  key?: string;
};

export class Hub {
  url = "";
  private process: ChildProcess | null = null;
  private said = "";

  /** What it has said on its error output so far. */
  get stderr(): string {
    return this.said;
  }

  private constructor(
    readonly home: string,
    private readonly listen: string,
  ) {}

  static async start(): Promise<Hub> {
    const hub = new Hub(mkdtempSync(join(tmpdir(), "handraise-web-")), `127.0.0.1:${await freePort()}`);
    await hub.launch();
    return hub;
  }

  /** Host and port. */
  get address(): string {
    return this.url.replace("http://", "");
  }

  async launch(): Promise<void> {
    this.url = await this.launchAt(this.listen);
  }

  /** At another address than the one its pages know. Returns that. */
  async launchAt(listen: string): Promise<string> {
    const args = ["--data", this.home, "serve", "--json", "--listen", listen];
    const process = spawn(PROGRAM, args, { env: clean(this.home), stdio: ["ignore", "pipe", "pipe"] });
    this.process = process;
    process.stderr.on("data", (data) => (this.said += String(data)));
    const [line] = (await Promise.race([
      once(createInterface(process.stdout), "line"),
      once(process, "exit").then(() => Promise.reject(new Error(`the hub did not start: ${this.said}`))),
    ])) as [string];
    return (JSON.parse(line) as { url: string }).url;
  }

  /** Ends it without any warning. */
  async kill(): Promise<void> {
    const process = this.process;
    this.process = null;
    if (!process || process.exitCode !== null) return;
    const ended = once(process, "exit");
    process.kill("SIGKILL");
    await ended;
  }

  async end(): Promise<void> {
    await this.kill();
    rmSync(this.home, { recursive: true, force: true });
  }

  token(power: "agent" | "person"): string {
    return readFileSync(join(this.home, `${power}.token`), "utf8").trim();
  }

  /** Calls the API, as an agent or as a person at another surface. */
  async call<T>(power: "agent" | "person", method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<T> {
    const text = await this.text(power, method, path, body === undefined ? undefined : JSON.stringify(body), headers);
    return (text ? JSON.parse(text) : null) as T;
  }

  /** The same, with every byte as it goes and comes. */
  async text(power: "agent" | "person", method: string, path: string, body?: string, headers: Record<string, string> = {}): Promise<string> {
    const response = await fetch(`${this.url}/api/v1/${path}`, {
      method,
      headers: { authorization: `Bearer ${this.token(power)}`, "content-type": "application/json", ...headers },
      ...(body === undefined ? {} : { body }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text;
  }

  ask({ questions, approval, asker, policy, key }: Asking): Promise<AskResponse> {
    return this.call("agent", "POST", "asks", {
      asker: { agent: "claude-code", directory: "/home/ann/shop", host: "laptop", session: "s-1", ...asker },
      ...(approval ? { kind: "approval", approval } : { questions }),
      ...(policy ? { policy } : {}),
      ...(key ? { key } : {}),
      // As hooks ask: Claude Code shows its own dialog meanwhile.
      rivalDialog: true,
    });
  }

  get = (id: string) => this.call<AskResponse>("agent", "GET", `asks/${id}`);
  answer = (id: string, body: unknown) => this.call<AskResponse>("person", "POST", `asks/${id}/answer`, body);
  draft = (id: string) => this.call<DraftJson | null>("person", "GET", `asks/${id}/draft`);
  receipt = (id: string, body: unknown) => this.call<AskResponse>("agent", "POST", `asks/${id}/receipt`, body);
  withdraw = (id: string) => this.call<AskResponse>("agent", "POST", `asks/${id}/withdraw`, {});
  devices = async () => (await this.call<{ devices: DeviceJson[] }>("person", "GET", "devices")).devices;
  link = async (ask?: string) => (await this.call<LinkResponse>("person", "POST", "links", ask && { ask })).url;

  /** Has a page believe that the hub is of another version. */
  async pretendsToBe(version: string, page: Page): Promise<void> {
    await page.route(/\/api\/v1\/status$/, async (route) => {
      const status = await this.call<StatusResponse>("person", "GET", "status").catch(() => null);
      // The page may have gone on meanwhile, and does not want to know any more.
      await (status ? route.fulfill({ json: { ...status, version } }) : route.abort()).catch(() => {});
    });
  }
}

/** A port nobody listens at, so that a hub that is killed comes back to the same. */
async function freePort(): Promise<number> {
  for (;;) {
    // Below the ports that the system hands out by itself, and above the last that browsers refuse.
    const port = 11_000 + Math.floor(Math.random() * 21_000);
    const server = createServer();
    const free = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false));
      server.listen(port, "127.0.0.1", () => resolve(true));
    });
    if (free) {
      await new Promise((resolve) => server.close(resolve));
      return port;
    }
  }
}

/** Nothing of the machine's own Handraise, and of whatever runs the tests. */
export function clean(home: string): Record<string, string> {
  return { PATH: process.env.PATH ?? "", HOME: home, USER: "ann", LANG: "C.UTF-8", TERM: "xterm-256color" };
}
