import { expect, test } from "vitest";

import type { AskResponse } from "../generated/v1";
import { agentName, gist, headline, projectName } from "./asker";
import { who } from "./ending";
import { countdown, duration } from "./time";

const asker = { agent: "claude-code", session: null, directory: "/home/ann/shop/", host: null, branch: null, title: null, preamble: null };

test("times as people say them", () => {
  const s = 1000;
  expect([0, 59 * s, 61 * s, 3600 * s, 3725 * s, 90_000 * s, -5].map(duration)).toEqual([
    "0 s",
    "59 s",
    "1 min",
    "1 h",
    "1 h 2 min",
    "1 d 1 h",
    "0 s",
  ]);
  expect([0, 61 * s, 249 * s, 7200 * s].map(countdown)).toEqual(["0:00", "1:01", "4:09", "2 h"]);
});

test("who asks, and what about", () => {
  expect(agentName(asker)).toBe("Claude");
  expect(agentName({ ...asker, agent: "my\u202Eagent" })).toBe("my<U+202E>agent");
  expect(projectName(asker)).toBe("shop");
  expect(projectName({ ...asker, directory: "C:\\work\\shop" })).toBe("shop");
  expect(projectName({ ...asker, directory: null })).toBeNull();
  const ask = (approval: unknown) => ({ asker, kind: "approval", questions: null, approval }) as AskResponse;
  expect(headline(ask({ tool: "Bash", input: {} }))).toBe("Claude wants to use Bash");
  expect(headline(ask({ tool: "ExitPlanMode", input: {}, plan: "# Do it" }))).toBe("Claude has a plan");
  expect(gist(ask({ tool: "Bash", input: { command: "ls\n-l" } }))).toBe("ls -l");
});

test("who answered, as seen from here", () => {
  const me = { person: "ann", device: "Chrome on Linux" };
  const by = (person: string | null, surface: string, device: string | null = null) => who({ person, device, surface, proof: null }, me);
  expect(by("ann", "web", "Chrome on Linux")).toBe("you, here");
  expect(by("ann", "web", "Firefox on Android")).toBe("you in the dashboard");
  expect(by("ann", "terminal")).toBe("you in a terminal");
  expect(by("bob", "api")).toBe("bob through the API");
  expect(by(null, "dialog")).toBe("the agent’s word, in its own dialog");
  expect(by(null, "dialect:gobby")).toBe("somebody through gobby");
  expect(who(null, me)).toBe("nobody");
});
