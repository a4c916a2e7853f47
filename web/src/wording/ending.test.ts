import { expect, test } from "vitest";

import type { AskResponse } from "../generated/v1";
import samples from "../generated/samples.json";
import { gist, headline } from "./asker";
import { deed, delivery, outcome, who } from "./ending";

/** Written by the hub's own code. */
const asks = samples.asks as unknown as Record<string, AskResponse>;

test("every sample has words for what it is and how it ended", () => {
  for (const [name, ask] of Object.entries(asks)) {
    expect(headline(ask), name).not.toBe("");
    expect(gist(ask), name).not.toBe("");
    expect(deed(ask), name).not.toBe("");
    if (ask.resolution) expect(outcome(ask, ask.resolution).length, name).toBeGreaterThan(0);
  }
});

test("whether the agent has it is said plainly", () => {
  const { open, delivered, overruled, undelivered } = asks as Record<string, AskResponse>;
  expect(delivery(open!)).toEqual({ tone: "waiting", text: "Claude is waiting." });
  expect(delivery(delivered!).tone).toBe("good");
  expect(delivery(overruled!).text).toMatch(/^Overruled: Claude took another answer/);
  expect(delivery(undelivered!).text).toMatch(/^Undelivered: this never reached Claude\. \S/);
});

test("where nobody gave an answer, nobody is named", () => {
  expect(who(asks.doubted!.resolution!.responder, null)).toBe("nobody");
});
