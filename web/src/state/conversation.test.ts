import { expect, test } from "vitest";

import type { MessageJson, MessagesResponse, SessionJson, StreamedJson } from "../generated/v1";
import { Refused, Unreachable } from "../hub/problem";
import { Conversation } from "./conversation.svelte";

const message = (number: number, more: Partial<MessageJson> = {}): MessageJson => ({
  number, key: `k${number}`, at: "2026-01-01T00:00:00Z", kind: "assistant", text: `m${number}`, state: null, tool: null, ask: null, responder: null, ...more,
});
const session = (messages: number, more: Partial<SessionJson> = {}) => ({ id: "s", messages, state: "working", ...more }) as SessionJson;
const piece = (offset: number, text: string, key = "new"): StreamedJson => ({ key, offset, text });
const bytes = (text: string) => new TextEncoder().encode(text).length;

/** A hub with these messages; each fetch waits until it is let go. */
class FakeHub {
  stored: MessageJson[] = [];
  speaking: StreamedJson | null = null;
  asked: [number, number][] = [];
  failures: Error[] = [];
  private waiting: (() => void)[] = [];
  held = false;

  readonly messages = async (_: string, after: number, limit = 500): Promise<MessagesResponse> => {
    this.asked.push([after, limit]);
    const failure = this.failures.shift();
    const answer = { messages: this.stored.filter(({ number }) => number > after).slice(0, limit), speaking: this.speaking };
    if (this.held) await new Promise<void>((resolve) => this.waiting.push(resolve));
    if (failure) throw failure;
    return answer;
  };

  release(): void {
    this.held = false;
    for (const go of this.waiting.splice(0)) go();
  }
}

const refusals: Refused[] = [];
function talkOf(hub: FakeHub, count = hub.stored.length): Conversation {
  return new Conversation(hub, session(count), (error) => refusals.push(error));
}
const numbers = (conversation: Conversation) => conversation.messages.map(({ number }) => number);
/** Until everything that waits for nothing but its turn has had it. */
const settled = () => new Promise((resolve) => setTimeout(resolve));

function hubWith(count: number): FakeHub {
  const hub = new FakeHub();
  hub.stored = Array.from({ length: count }, (_, i) => message(i + 1));
  return hub;
}

test("the last hundred are shown first, and those before on demand", async () => {
  const hub = hubWith(250);
  const it = talkOf(hub);
  await it.load();
  expect([it.first, numbers(it).length, numbers(it).at(-1)]).toEqual([151, 100, 250]);
  await it.earlier();
  expect([it.first, numbers(it).length]).toEqual([51, 200]);
  await it.earlier();
  expect([it.first, numbers(it).length]).toEqual([1, 250]);
  expect(hub.asked).toEqual([[150, 500], [250, 500], [50, 100], [0, 50]]);
});

test("more than a page is fetched page by page", async () => {
  const hub = hubWith(1100);
  const it = talkOf(hub, 0);
  await it.load();
  expect(numbers(it)).toEqual(hub.stored.map(({ number }) => number));
  expect(hub.asked.map(([after]) => after)).toEqual([0, 500, 1000, 1100]);
});

test("news add to what is shown, and replace it by number", async () => {
  const it = talkOf(hubWith(2));
  await it.load();
  it.heard(session(3), [message(3, { kind: "tool", state: "running" })]);
  it.heard(session(3), [message(3, { kind: "tool", state: "done" })]);
  expect(it.messages.map(({ state }) => state)).toEqual([null, null, "done"]);
});

test("news of what is further up than what is shown do not stand at its top", async () => {
  const it = talkOf(hubWith(250));
  await it.load();
  it.heard(session(250), [message(7)]);
  expect(numbers(it)[0]).toBe(151);
});

test("a gap in the numbers is fetched", async () => {
  const hub = hubWith(2);
  const it = talkOf(hub);
  await it.load();
  hub.stored.push(message(3), message(4), message(5));
  it.heard(session(5), [message(5)]);
  await settled();
  expect(numbers(it)).toEqual([1, 2, 3, 4, 5]);
});

test("a message that the news only counts is fetched", async () => {
  const hub = hubWith(2);
  const it = talkOf(hub);
  await it.load();
  hub.stored.push(message(3));
  it.heard(session(3), []);
  await settled();
  expect(numbers(it)).toEqual([1, 2, 3]);
});

test("what is heard while a page is on its way is not undone by the page", async () => {
  const hub = new FakeHub();
  hub.stored = [message(1, { state: "running" })];
  hub.held = true;
  const it = talkOf(hub);
  const loading = it.load();
  it.heard(session(1), [message(1, { state: "done" })]);
  hub.release();
  await loading;
  expect(it.messages[0]?.state).toBe("done");
});

test("a fetch that fails is tried again; one that is refused is told", async () => {
  const hub = hubWith(1);
  hub.failures = [new Unreachable("")];
  const it = talkOf(hub);
  await it.load();
  expect(it.loaded).toBe(false);
  await expect.poll(() => it.loaded, { timeout: 5_000 }).toBe(true);
  hub.failures = [new Refused({ status: 404, code: "no_such_session", title: "" })];
  await it.load();
  expect(refusals.map(({ code }) => code)).toEqual(["no_such_session"]);
});

test("pieces grow by bytes, whatever they are made of", async () => {
  const it = talkOf(hubWith(0));
  await it.load();
  const pieces = ["Grüße ", "👩‍👩‍👧 ", "日本", "语\u202E", "!"];
  let said = "";
  for (const text of pieces) {
    it.spoke(piece(bytes(said), text));
    said += text;
    expect(it.speaking?.text).toBe(said);
  }
});

test("a piece that was heard already adds nothing", async () => {
  const it = talkOf(hubWith(0));
  await it.load();
  it.spoke(piece(0, "é"));
  it.spoke(piece(0, "é"));
  it.spoke(piece(2, "a"));
  expect(it.speaking?.text).toBe("éa");
});

test("what was said takes the place of what was being said", async () => {
  const it = talkOf(hubWith(0));
  await it.load();
  it.spoke(piece(0, "Hel"));
  it.heard(session(1), [message(1, { key: "new", text: "Hello" })]);
  expect(it.speaking).toBeNull();
  it.spoke(piece(3, "lo"));
  expect(it.speaking).toBeNull();
  expect(it.messages.map(({ text }) => text)).toEqual(["Hello"]);
});

test("an agent that does not work is not speaking", async () => {
  const it = talkOf(hubWith(0));
  await it.load();
  it.spoke(piece(0, "Hel"));
  it.heard(session(0, { state: "idle" }), []);
  expect(it.speaking).toBeNull();
});

test("a page that is opened while the agent speaks shows what came before, and goes on", async () => {
  const hub = hubWith(0);
  hub.speaking = piece(0, "Hé");
  const it = talkOf(hub);
  await it.load();
  expect(it.speaking?.text).toBe("Hé");
  it.spoke(piece(3, "llo"));
  expect(it.speaking?.text).toBe("Héllo");
});

test("a gap is filled from the hub, with what came meanwhile", async () => {
  const hub = hubWith(0);
  const it = talkOf(hub);
  await it.load();
  it.spoke(piece(0, "one "));
  hub.held = true;
  hub.speaking = piece(0, "one two three ");
  it.spoke(piece(8, "three "));
  it.spoke(piece(14, "four"));
  expect(it.speaking?.text).toBe("one ");
  hub.release();
  await expect.poll(() => it.speaking?.text).toBe("one two three four");
  expect(hub.asked).toHaveLength(2);
});

test("a gap that nobody can fill stops the growth until it was said; another message grows", async () => {
  const hub = hubWith(0);
  const it = talkOf(hub);
  await it.load();
  it.spoke(piece(10, "lost"));
  await settled();
  it.spoke(piece(14, "lost"));
  await settled();
  expect(it.speaking).toBeNull();
  expect(hub.asked).toHaveLength(2);
  it.spoke(piece(0, "next", "other"));
  expect(it.speaking?.text).toBe("next");
});

test("what began while a page was on its way is not stopped by the page", async () => {
  const hub = hubWith(0);
  hub.held = true;
  const it = talkOf(hub);
  const loading = it.load();
  it.spoke(piece(0, "new"));
  hub.release();
  await loading;
  expect(it.speaking?.text).toBe("new");
});
