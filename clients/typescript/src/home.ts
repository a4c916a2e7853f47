import { existsSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";

import { HandraiseError, HubUnreachable } from "./errors.js";

export type Power = "agent" | "person";

const AGENT = "sdk-typescript";
const AGENT_NAME = /^[A-Za-z0-9][A-Za-z0-9._@-]{0,99}$/;

/** The hub's URL, and a token for it. */
export interface Address {
  url: string;
  token: string;
}

/** Something that knows where the hub is now: it may come back at another port. */
export interface Place {
  address(power: Power): Promise<Address>;
}

/** The directory in which a hub of this account leaves word of itself. */
export function home(directory: string | undefined): Place {
  const here = directory === undefined ? usualDirectory() : resolve(directory);
  return {
    async address(power) {
      const { url, pid, started } = await hubFile(here);
      // The port of a hub that is gone may be somebody else's by now: it gets no token.
      if (!runs(pid, started)) {
        throw new HubUnreachable(`the hub of ${here} is not running`);
      }
      return { url, token: await readToken(tokenFile(here, power)) };
    },
  };
}

/** The agent's token is that of `$HANDRAISE_AGENT`, else our own: no other agent can withdraw what it asked. */
function tokenFile(directory: string, power: Power): string {
  const agent = process.env.HANDRAISE_AGENT;
  if (power === "person") {
    return join(directory, "person.token");
  }
  if (agent && !AGENT_NAME.test(agent)) {
    throw new HandraiseError("no_token", `HANDRAISE_AGENT: "${agent}" is not an agent's name`);
  }
  const file = join(directory, "agents", `${agent || AGENT}.token`);
  // A hub of an older version has made none; the token that all agents share is good there.
  return agent || existsSync(file) ? file : join(directory, "agent.token");
}

/** A hub whose URL and tokens were given. */
export function named(url: string, tokens: Record<Power, string | undefined>): Place {
  return {
    async address(power) {
      const token = tokens[power];
      if (token === undefined) {
        const field = power === "agent" ? "token" : "personToken";
        throw new HandraiseError("no_token", `${field}: missing; needed with url`);
      }
      return { url: url.replace(/\/+$/, ""), token };
    },
  };
}

async function hubFile(
  directory: string,
): Promise<{ url: string; pid: number; started?: number }> {
  try {
    const { url, pid, started } = JSON.parse(await readFile(join(directory, "hub.json"), "utf8"));
    if (typeof url === "string" && Number.isInteger(pid)) {
      return { url, pid, started };
    }
  } catch {
    // Not there, or half of it: the same to whoever looks for a hub.
  }
  throw new HubUnreachable(`no hub has been started in ${directory}`);
}

async function readToken(file: string): Promise<string> {
  const token = await readFile(file, "utf8").catch(() => "");
  if (token.trim() === "") {
    throw new HandraiseError("no_token", `${file} cannot be read, or is empty`);
  }
  return token.trim();
}

function usualDirectory(): string {
  const { HANDRAISE_HOME, XDG_DATA_HOME } = process.env;
  if (HANDRAISE_HOME) {
    return resolve(HANDRAISE_HOME);
  }
  if (process.platform === "darwin") {
    return join(homedir(), "Library/Application Support/handraise");
  }
  // A relative path there is to be passed over, says the specification.
  const data = isAbsolute(XDG_DATA_HOME ?? "") ? XDG_DATA_HOME : undefined;
  return join(data ?? join(homedir(), ".local/share"), "handraise");
}

function runs(pid: number, started: number | undefined): boolean {
  if (!isThere(pid)) {
    return false;
  }
  if (started === undefined) {
    return true;
  }
  // The number of a hub that is gone may be another process's by now.
  const now = startOf(pid);
  return now === undefined ? startOf(process.pid) === undefined : now === started;
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another account is a process all the same.
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/** When a process was started, in ticks since the machine was; undefined for a zombie, and without /proc. */
function startOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name can hold anything, and ends with the last parenthesis.
    const [state, ...fields] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return state === "Z" || state === "X" ? undefined : Number(fields[18]);
  } catch {
    return undefined;
  }
}
