/** A person's own shell, in real tmux: what runs there has no agent among its ancestors. */

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect } from "@playwright/test";

import { PROGRAM, type Hub } from "./hub.ts";

export class Terminal {
  readonly directory = mkdtempSync(join(tmpdir(), "handraise-tmux-"));

  private constructor(private readonly hub: Hub) {}

  static async start(hub: Hub): Promise<Terminal> {
    const terminal = new Terminal(hub);
    const shell = ["bash", "--norc", "--noprofile", "-i"];
    terminal.tmux("new-session", "-d", "-x", "100", "-y", "40", "-c", terminal.directory, "-e", "PS1=ready$ ", "-e", "HISTFILE=", ...shell);
    await terminal.shows("ready$");
    return terminal;
  }

  /** Runs `handraise`, with what it prints in the file `out` and its end on the screen. */
  run(command: string, ...args: string[]): void {
    const quoted = args.map((arg) => `'${arg}'`).join(" ");
    this.type(`clear; ${PROGRAM} ${command} --data ${this.hub.home} ${quoted} > out; echo code=$?`);
    this.press("Enter");
  }

  write(name: string, value: unknown): void {
    writeFileSync(join(this.directory, name), JSON.stringify(value));
  }

  get out(): string {
    return readFileSync(join(this.directory, "out"), "utf8");
  }

  type(text: string): void {
    this.tmux("send-keys", "-l", text);
  }

  press(...keys: string[]): void {
    this.tmux("send-keys", ...keys);
  }

  get screen(): string {
    return this.tmux("capture-pane", "-p");
  }

  /** tmux tells nobody when its screen changes, so it is asked. */
  async shows(text: string): Promise<void> {
    await expect.poll(() => this.screen, { intervals: [20] }).toContain(text);
  }

  end(): void {
    this.tmux("kill-server");
    // The shell may still be on its way out.
    rmSync(this.directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }

  private tmux(...args: string[]): string {
    const env = { PATH: "/usr/local/bin:/usr/bin:/bin", LANG: "C.UTF-8", TERM: "xterm-256color", HOME: this.directory };
    const socket = join(this.directory, "socket");
    return execFileSync("tmux", ["-S", socket, "-f", "/dev/null", ...args], { env, encoding: "utf8", timeout: 10_000 });
  }
}
