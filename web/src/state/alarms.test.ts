import { beforeEach, expect, test } from "vitest";

import samples from "../generated/samples.json";
import type { AskResponse } from "../generated/v1";
import { Alarms } from "./alarms.svelte";

const kept = new Map<string, string>();
let full = false;

beforeEach(() => {
  kept.clear();
  full = false;
  globalThis.localStorage = {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => {
      if (full) throw new Error("QuotaExceededError");
      kept.set(name, value);
    },
  } as Storage;
});

/** Written by the hub's own code. */
const asks = samples.asks as unknown as Record<string, AskResponse>;
const doubted = (id: string): AskResponse => ({ ...asks.doubted!, id });
const ids = (alarms: Alarms) => [...alarms.asks.keys()];

test("of all there is, only an answer nobody gave is an alarm, and once", () => {
  const alarms = new Alarms();
  const rang = Object.entries(asks).filter(([, ask]) => alarms.ring(ask));
  expect(rang.map(([name]) => name)).toEqual(["doubted"]);
  expect(alarms.ring(asks.doubted!)).toBe(false);
});

test("what is dismissed stays so: after a reload, and in another tab", () => {
  const [one, other] = [new Alarms(), new Alarms()];
  for (const alarms of [one, other]) for (const id of ["a", "b", "c"]) alarms.ring(doubted(id));
  one.dismiss("b");
  expect(ids(one)).toEqual(["a", "c"]);
  expect(one.ring(doubted("b"))).toBe(false);
  other.overhear();
  expect(ids(other)).toEqual(["a", "c"]);
  expect(new Alarms().ring(doubted("b"))).toBe(false);
});

test("what is kept and what is shown is bounded", () => {
  const alarms = new Alarms();
  for (let i = 0; i < 500; i++) alarms.ring(doubted(`${i}`));
  expect(ids(alarms)).toEqual(Array.from({ length: 100 }, (_, i) => `${i + 400}`));
  for (let i = 0; i < 500; i++) alarms.dismiss(`${i}`);
  expect(JSON.parse(kept.get("handraise.dismissed")!)).toHaveLength(200);
});

test("a browser that keeps nothing, or something else, stands in nobody's way", () => {
  full = true;
  const alarms = new Alarms();
  alarms.ring(doubted("a"));
  alarms.dismiss("a");
  expect(ids(alarms)).toEqual([]);
  for (const odd of ["{", "null", '{"a": 1}']) {
    kept.set("handraise.dismissed", odd);
    expect(new Alarms().ring(doubted("a"))).toBe(true);
  }
});

test("of History, the last day comes back, the last one last", () => {
  const alarms = new Alarms();
  const at = (id: string, at: string) => ({ ...doubted(id), delivery: { ...asks.doubted!.delivery!, at } });
  const history = [at("c", "2026-01-06T08:00:00Z"), at("b", "2026-01-05T10:00:00Z"), at("a", "2026-01-05T08:00:00Z")];
  alarms.recall(history, Date.parse("2026-01-06T09:00:00Z"));
  expect(ids(alarms)).toEqual(["b", "c"]);
});
