import { afterEach, beforeEach, expect, test, vi } from "vitest";

import type { LookParams } from "../generated/v1";
import type { Api } from "../hub/api";

const page = { visibilityState: "visible", focused: true };
const said: number[] = [];
const api = { look: (look: LookParams) => (said.push(look.seconds), Promise.resolve(null)) } as unknown as Api;
let end = () => {};

beforeEach(async () => {
  vi.resetModules();
  vi.useFakeTimers();
  const target = new EventTarget();
  const document = { addEventListener: () => {}, hasFocus: () => page.focused, get visibilityState() { return page.visibilityState; } };
  vi.stubGlobal("window", globalThis);
  vi.stubGlobal("document", document);
  vi.stubGlobal("addEventListener", target.addEventListener.bind(target));
  vi.stubGlobal("dispatchEvent", target.dispatchEvent.bind(target));
  Object.assign(page, { visibilityState: "visible", focused: true });
  said.length = 0;
  const { attend } = await import("./attention");
  vi.advanceTimersByTime(120_000);
  end = attend(api);
});

afterEach(() => {
  end();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const happens = (name: string, more = {}) => dispatchEvent(Object.assign(new Event(name), more));
const passes = (seconds: number) => vi.advanceTimersByTime(seconds * 1000);

test("a page nobody touches says nothing", () => {
  passes(300);
  expect(said).toEqual([]);
});

test("while somebody is there it is said every twenty seconds, and not oftener", () => {
  for (let second = 0; second < 60; second++) {
    happens("keydown");
    passes(1);
  }
  expect(said).toEqual([30, 30, 30, 30]);
});

test("whoever does nothing for a minute may have walked away", () => {
  happens("keydown");
  passes(59);
  expect(said).toEqual([30, 30, 30]);
  passes(300);
  expect(said).toEqual([30, 30, 30]);
  happens("wheel");
  expect(said).toEqual([30, 30, 30, 30]);
});

test("a page that moves below a pointer at rest is no person", () => {
  happens("pointermove", { clientX: 1, clientY: 1 });
  passes(300);
  expect(said).toEqual([30, 30, 30]);
  happens("pointermove", { clientX: 1, clientY: 1 });
  expect(said.length).toBe(3);
  happens("pointermove", { clientX: 1, clientY: 2 });
  expect(said.length).toBe(4);
});

test("what has ended by itself need not be taken back", () => {
  happens("keydown");
  passes(100);
  page.focused = false;
  happens("blur");
  expect(said).toEqual([30, 30, 30]);
});

test("once it has ended nothing is said any more", () => {
  happens("keydown");
  end();
  passes(100);
  happens("keydown");
  expect(said).toEqual([30]);
});
