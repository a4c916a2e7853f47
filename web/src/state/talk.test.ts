import { beforeEach, expect, test } from "vitest";

import { Refused, Unreachable } from "../hub/problem";
import { Talk } from "./talk.svelte";

const kept = new Map<string, string>();
const here = new Map<string, string>();
let full = false;

const storage = (place: Map<string, string>) =>
  ({
    getItem: (name: string) => place.get(name) ?? null,
    setItem: (name: string, value: string) => {
      if (full) throw new Error("QuotaExceededError");
      place.set(name, value);
    },
    removeItem: (name: string) => void place.delete(name),
  }) as Storage;

beforeEach(() => {
  kept.clear();
  here.clear();
  full = false;
  globalThis.localStorage = storage(kept);
  globalThis.sessionStorage = storage(here);
});

const open = () => new Talk("s");
function typed(text: string): Talk {
  const talk = open();
  talk.text = text;
  talk.changed();
  return talk;
}

/** A hub that stores by key what it is told, and answers, or does not. */
class FakeHub {
  readonly stored = new Map<string, string>();
  answers: (Error | "lost")[] = [];

  readonly say = async (text: string, key: string): Promise<string> => {
    const next = this.answers.shift();
    if (next instanceof Error) throw next;
    this.stored.set(key, text);
    if (next === "lost") throw new Unreachable("");
    return key;
  };
}

test("what is typed is there after a reload, and gone when it was taken", async () => {
  await typed("hello").send(new FakeHub().say);
  expect(kept.size).toBe(0);
  typed("hello");
  expect(open().text).toBe("hello");
  // A crash, or another tab.
  here.clear();
  expect(open().text).toBe("hello");
});

test("two tabs with different words find each its own after a reload", () => {
  typed("mine");
  kept.set("handraise.words.s", JSON.stringify({ text: "theirs", attempt: null }));
  expect(open().text).toBe("mine");
  here.clear();
  expect(open().text).toBe("theirs");
});

test("an answer that got lost is tried again under the same key, even after a reload", async () => {
  const hub = new FakeHub();
  hub.answers = ["lost", "lost"];
  const talk = typed("hello");
  expect(await talk.send(hub.say)).toBeNull();
  expect([talk.text, talk.trouble.length, talk.sending]).toEqual(["hello", 1, false]);
  expect(await open().send(hub.say)).toBeNull();
  const again = open();
  expect(await again.send(hub.say)).not.toBeNull();
  expect([...hub.stored.values()]).toEqual(["hello"]);
  expect([again.text, kept.size, here.size]).toEqual(["", 0, 0]);
});

test("the same words said on purpose twice are two", async () => {
  const hub = new FakeHub();
  await typed("yes").send(hub.say);
  await typed("yes").send(hub.say);
  expect([...hub.stored.values()]).toEqual(["yes", "yes"]);
});

test("other words, or the same for another place, have another key", async () => {
  const hub = new FakeHub();
  hub.answers = ["lost", "lost"];
  const talk = typed("hello");
  await talk.send(hub.say, "/a");
  await talk.send(hub.say, "/b");
  talk.text = "hello there";
  talk.changed();
  await talk.send(hub.say, "/b");
  expect(hub.stored.size).toBe(3);
});

test("a refusal says why and keeps the words", async () => {
  const hub = new FakeHub();
  const violations = [{ path: "directory", found: "/etc", allowed: "a directory listed in startIn" }];
  hub.answers = [new Refused({ status: 422, code: "invalid", title: "invalid", violations })];
  const talk = typed("hello");
  await talk.send(hub.say);
  expect([talk.text, talk.problem?.violations]).toEqual(["hello", violations]);
  talk.changed();
  expect([talk.trouble, talk.problem]).toEqual([[], null]);
});

test("nothing is not sent, and nothing is sent twice at once", async () => {
  const hub = new FakeHub();
  await typed(" \n").send(hub.say);
  const talk = typed("hello");
  await Promise.all([talk.send(hub.say), talk.send(hub.say)]);
  expect([...hub.stored.values()]).toEqual(["hello"]);
});

test("what is typed on while it is sent is the next thing to say", async () => {
  const hub = new FakeHub();
  const talk = typed("hello");
  const sending = talk.send(hub.say);
  talk.text = "hello\nworld";
  talk.changed();
  await sending;
  expect([talk.text, open().text]).toEqual(["world", "world"]);
});

test("a browser without room says so", () => {
  full = true;
  expect(typed("hello").unkept).toBe(true);
});

test("another tab's words are taken over when they go on from these, and never instead of others", () => {
  const name = "handraise.words.s";
  const shelved = (text: string) => JSON.stringify({ text, attempt: null });
  const talk = typed("hello");
  talk.overhear({ key: name, oldValue: null, newValue: shelved("hello world") });
  expect(talk.text).toBe("hello world");
  talk.overhear({ key: name, oldValue: null, newValue: shelved("bye") });
  expect(talk.text).toBe("hello world");
  talk.overhear({ key: "handraise.words.other", oldValue: null, newValue: null });
  expect(talk.text).toBe("hello world");
  kept.clear();
  talk.overhear({ key: name, oldValue: shelved("bye"), newValue: null });
  expect([talk.text, kept.get(name)]).toEqual(["hello world", shelved("hello world")]);
  kept.clear();
  talk.overhear({ key: name, oldValue: shelved("hello world"), newValue: null });
  expect([talk.text, open().text]).toEqual(["", ""]);
});
