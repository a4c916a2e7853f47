import { expect, test } from "vitest";

import type { MessageJson, SessionJson } from "../generated/v1";
import { sessionName, standing, whereabouts } from "./session";

const session = (more: Partial<SessionJson>) => ({ agent: "claude-code", directory: "/home/ann/shop", title: null, trouble: null, state: "working", ending: false, ...more }) as SessionJson;
const word = (more: Partial<SessionJson>, asks = 0, live = true) => standing(session(more), asks, live).word;

test("a session is called by its title, or by where it is", () => {
  expect(sessionName(session({ title: "Dark\nmode" }))).toBe("Dark mode");
  expect(sessionName(session({ title: " " }))).toBe("shop");
  expect(sessionName(session({ directory: "/" }))).toBe("Claude");
});

test("every state has a word, and an ask makes it the person's turn", () => {
  expect((["starting", "working", "idle", "stopped", "deferred", "ended"] as const).map((state) => word({ state }))).toEqual([
    "starting", "working", "idle", "stopped", "waits for your answer", "ended",
  ]);
  expect([word({}, 1), word({ state: "idle" }, 1), word({ state: "ended" }, 1)]).toEqual(["waiting for you", "waiting for you", "ended"]);
  expect(word({ ending: true })).toBe("ending");
  expect(standing(session({ state: "ended", trouble: "exit 1" }), 0, true).tone).toBe("bad");
});

test("without a line nobody is said to work", () => {
  expect([word({}, 0, false), word({ state: "idle" }, 0, false)]).toEqual(["working when last heard", "idle"]);
});

test("words that wait say what for, and words that arrived say nothing", () => {
  const said = (state: MessageJson["state"]) => ({ state }) as MessageJson;
  expect(whereabouts(said("delivered"), session({}), 0)).toBeNull();
  expect(whereabouts(said("queued"), session({}), 1)).toBe("Queued: Claude gets it after your answer.");
  expect(whereabouts(said("queued"), session({}), 0)).toBe("Queued: Claude gets it when it can take it.");
  expect(whereabouts(said("queued"), session({ state: "ended" }), 0)).toBe("Not delivered: the session was over before.");
});
