// Each call is asked about with a key of its own: an answer counts for one call.
import assert from "node:assert/strict";
import { test } from "node:test";

import { Handraise } from "handraise";

import { POST, RESOLUTION, fakeHub, respond } from "./hub.mjs";

const NEVER = new AbortController().signal;
const ALLOW = {
  kind: "answered",
  decision: "allow",
  message: null,
  input: null,
  remember: null,
  responder: { surface: "web", person: "ann" },
};
const KEY_REUSED = { status: 409, code: "key_reused", title: "the key names another ask" };

const handFor = (hub) => new Handraise({ url: hub.url, token: "t", session: "s" });
const call = (hand, toolUseID = "t", signal = NEVER) =>
  hand.canUseTool("Bash", { command: "ls" }, { signal, toolUseID, requestId: "r" });

test("a tool_use id that comes twice is asked about twice", async (t) => {
  const hub = await fakeHub(t, { resolution: ALLOW });
  const hand = handFor(hub);
  for (const toolUseId of ["t#3", "t", "t", "t", "u"]) {
    assert.equal((await call(hand, toolUseId)).behavior, "allow");
  }
  assert.deepEqual(hub.keys, ["s/t#3", "s/t", "s/t#2", "s/t#4", "s/u"]);
});

test("calls of one id wait beside one another", async (t) => {
  const hub = await fakeHub(t);
  const hand = handFor(hub);
  const controller = new AbortController();
  const calls = [1, 2, 3].map(() => call(hand, "t", controller.signal));
  await hub.untilTold(RESOLUTION, 3);
  assert.deepEqual(hub.keys.toSorted(), ["s/t", "s/t#2", "s/t#3"]);
  assert.equal(hand.waiting.length, 3);
  controller.abort(new Error("enough"));
  for (const { status } of await Promise.allSettled(calls)) {
    assert.equal(status, "rejected");
  }
  assert.deepEqual(hand.waiting, []);
  // Each takes back what it has asked itself.
  assert.deepEqual(hub.keys.slice(3).toSorted(), ["s/t", "s/t#2", "s/t#3"]);
});

test("an ask of an earlier call is not taken", async (t) => {
  for (const ask of [
    { state: "delivered", resolution: ALLOW, delivery: { level: "handed" } },
    { state: "overruled", resolution: ALLOW, delivery: { level: "seen" } },
    { state: "undelivered", resolution: ALLOW, delivery: { level: null } },
    { state: "resolved", resolution: ALLOW, delivery: { level: "handed" } },
    { state: "resolved", resolution: { kind: "withdrawn", reason: null } },
    { state: "open", deliverer: "another" },
    KEY_REUSED,
  ]) {
    const known = { "s/t": ask, "s/t#2": ask };
    const hub = await fakeHub(t, { resolution: ALLOW, known });
    assert.equal((await call(handFor(hub))).behavior, "allow");
    assert.deepEqual(hub.keys, ["s/t", "s/t#2", "s/t#3"], JSON.stringify(ask));
  }
});

test("an answer that no program was handed is taken", async (t) => {
  for (const ask of [
    { state: "open", deliverer: "you" },
    { state: "resolved", resolution: ALLOW },
  ]) {
    const hub = await fakeHub(t, { resolution: ALLOW, known: { "s/t": ask } });
    assert.equal((await call(handFor(hub))).behavior, "allow");
    assert.deepEqual(hub.keys, ["s/t"]);
  }
});

test("a retry of one call keeps its key", async (t) => {
  const hub = await fakeHub(t, { resolution: ALLOW });
  const hand = handFor(hub);
  await call(hand);
  hub.writers[POST] = (socket) => {
    delete hub.writers[POST];
    socket.destroy();
  };
  assert.equal((await call(hand)).behavior, "allow");
  assert.deepEqual(hub.keys, ["s/t", "s/t#2", "s/t#2"]);
});

test("a cancelled call leaves the ask of another process alone", async (t) => {
  const hub = await fakeHub(t, { known: { "s/t": { deliverer: "another" } } });
  hub.writers[POST] = () => delete hub.writers[POST];
  const controller = new AbortController();
  const waiting = call(handFor(hub), "t", controller.signal);
  await hub.untilTold(POST);
  controller.abort(new Error("enough"));
  await assert.rejects(waiting, /enough/);
  assert.deepEqual(hub.told, [POST, POST]);
});

test("a hub with an old ask for every key ends in a deny", async (t) => {
  t.mock.method(console, "warn", () => {});
  const reused = respond(409, JSON.stringify({ code: "key_reused", title: "it was" }));
  const hub = await fakeHub(t, { resolution: ALLOW, writers: { [POST]: reused } });
  const denied = await call(handFor(hub));
  assert.equal(denied.behavior, "deny");
  assert.match(denied.message, /old ask for every new key/);
  assert.equal(new Set(hub.keys).size, 101);
  assert.equal(hub.keys.length, 101);
});
