// Whatever a hub answers, the call ends: in a deny, unless it is an answer.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { gzipSync } from "node:zlib";

import { Handraise, HandraiseError } from "handraise";

import { ASK, POST, RESOLUTION, fakeHub, respond } from "./hub.mjs";

const MIB = 1024 * 1024;
const NEVER = new AbortController().signal;
const responder = { surface: "web", person: "ann" };
const OPTIONS = [{ label: "A" }, { label: "B" }];
const QUESTIONS = { questions: [{ question: "Which?", options: OPTIONS }] };
const CHOSEN = { selected: ["A"], words: null, notes: null, leftOpen: false };
const ALLOW = { kind: "answered", decision: "allow", responder };
const CALLS = [
  ["Bash", { command: "ls" }],
  ["AskUserQuestion", QUESTIONS],
];
const MALFORMED = [
  ...["", "<html>", "\xff", "null", "true", "7", '"allow"', "[]", "{}"],
  ..."[ {\"a\":".split(" ").map((deep) => deep.repeat(200_000)),
];

const call = (hub, tool = "Bash", input = { command: "ls" }) => {
  const hand = new Handraise({ url: hub.url, token: "t", onDisconnect: "decline" });
  return hand.canUseTool(tool, input, { signal: NEVER, toolUseID: "t", requestId: "r" });
};

/** Each kind of call must be denied with these words when the hub writes so. */
async function assertDenied(t, writers, words) {
  for (const [tool, input] of CALLS) {
    const hub = await fakeHub(t, { writers });
    const result = await call(hub, tool, input);
    assert.equal(result.behavior, "deny", `${tool}: ${JSON.stringify(result)}`);
    assert.match(result.message, words);
  }
}

const silence = (t) => t.mock.method(console, "warn", () => {});

test("an ask of another shape is a deny", async (t) => {
  silence(t);
  const asks = [
    { ...ASK, id: null },
    { ...ASK, id: 1 },
    { ...ASK, state: "allowed" },
    { ...ASK, state: [] },
    { ...ASK, policy: null },
    { ...ASK, policy: { deadlineSeconds: "60" } },
    { ...ASK, state: "resolved", resolution: "allow" },
  ];
  for (const body of [...MALFORMED, ...asks.map((ask) => JSON.stringify(ask))]) {
    const writers = {
      [POST]: respond(200, body),
      [RESOLUTION]: respond(200, JSON.stringify(ALLOW)),
    };
    await assertDenied(t, writers, /the hub's answer makes no sense/);
  }
});

test("a resolution of another shape is a deny", async (t) => {
  silence(t);
  const answered = (answers) => ({ kind: "answered", answers, responder });
  const ends = [
    { kind: "allow", responder },
    { kind: ["answered"], responder },
    { kind: "answered", responder },
    { ...ALLOW, decision: true },
    { ...ALLOW, responder: "ann" },
    { ...ALLOW, input: "rm -rf /" },
    { ...ALLOW, input: [] },
    { ...ALLOW, remember: 1 },
    { ...ALLOW, message: {} },
    answered(null),
    answered([]),
    answered(["A"]),
    answered([CHOSEN, CHOSEN]),
    answered([{ ...CHOSEN, selected: "A" }]),
    answered([{ ...CHOSEN, selected: [1] }]),
    answered([{ ...CHOSEN, words: 1 }]),
    answered([{ ...CHOSEN, leftOpen: 0 }]),
    { kind: "declined", reason: 1, responder },
    { kind: "discuss", words: [], responder },
    { kind: "no_answer", afterSeconds: "many" },
  ];
  for (const body of [...MALFORMED, ...ends.map((end) => JSON.stringify(end))]) {
    const writers = { [RESOLUTION]: respond(200, body) };
    await assertDenied(t, writers, /the hub's answer makes no sense/);
  }
});

test("a refusal of another shape is a deny", async (t) => {
  silence(t);
  const problems = [
    { code: "x", title: "no", violations: 1 },
    { code: "x", title: "no", violations: ["path"] },
    { code: 1, title: "no" },
    { code: "x", title: ["no"] },
  ];
  for (const status of [301, 403, 422, 500, 503]) {
    for (const body of [...MALFORMED, ...problems.map((problem) => JSON.stringify(problem))]) {
      for (const request of [POST, RESOLUTION]) {
        const writers = { [request]: respond(status, body) };
        await assertDenied(t, writers, /^Nobody could be reached: /);
      }
    }
  }
});

test("an answer of the right shape counts", async (t) => {
  const edited = { command: "pwd" };
  let hub = await fakeHub(t, { resolution: { ...ALLOW, input: edited } });
  assert.deepEqual(await call(hub), { behavior: "allow", updatedInput: edited });
  hub = await fakeHub(t, { resolution: { kind: "answered", answers: [CHOSEN], responder } });
  const result = await call(hub, "AskUserQuestion", QUESTIONS);
  assert.deepEqual(result.updatedInput.answers, { "Which?": "A" });
});

test("a front end is told what makes no sense", async (t) => {
  for (const body of [...MALFORMED, '{"questions": 1}', '{"questions": [{}]}']) {
    const hub = await fakeHub(t, { writers: { "GET /api/v1/asks/1": respond(200, body) } });
    const hand = new Handraise({ url: hub.url, personToken: "t" });
    const words = body === "{}" ? /found for an approval/ : /the hub's answer makes no sense/;
    await assert.rejects(hand.answer("1", { "Which?": "A" }), (error) => {
      assert.ok(error instanceof HandraiseError, error);
      assert.match(error.message, words);
      return true;
    });
  }
});

test("a call nested too deeply is a deny", async (t) => {
  silence(t);
  let deep = [];
  for (let n = 0; n < 200_000; n++) {
    deep = [deep];
  }
  const denied = await call(await fakeHub(t), "Bash", { command: deep });
  assert.equal(denied.behavior, "deny");
  assert.match(denied.message, /nested too deeply/);
});

/** Writes a head, and then a piece of it or of a body again and again, as fast as it is taken. */
const endless = (head, piece) => (socket) => {
  socket.write(head);
  const more = () => {
    while (!socket.destroyed && socket.write(piece));
  };
  socket.on("drain", more);
  more();
};

const chunk = (text) => `${text.length.toString(16)}\r\n${text}\r\n`;
const CHUNKED = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";

test("no more than 32 MiB of an answer are read", async (t) => {
  silence(t);
  const long = "HTTP/1.1 200 OK\r\ncontent-length: 1000000000000\r\n\r\n";
  const packed = gzipSync(Buffer.alloc(64 * MIB, "x"));
  const packedHead = `content-encoding: gzip\r\n`;
  for (const request of [POST, RESOLUTION]) {
    for (const [write, words] of [
      [endless(long, "x".repeat(MIB)), /it sends more than 32 MiB/],
      [endless(CHUNKED, chunk("x".repeat(MIB))), /it sends more than 32 MiB/],
      [respond(200, packed, packedHead), /it sends more than 32 MiB/],
      [endless("HTTP/1.1 200 OK\r\n", `x: ${"x".repeat(1000)}\r\n`), /does not answer/],
    ]) {
      const hub = await fakeHub(t, { writers: { [request]: write } });
      const denied = await call(hub);
      assert.equal(denied.behavior, "deny");
      assert.match(denied.message, words);
      // The connection is closed, or the hub would write on.
      await hub.left;
    }
  }
});

test("many small chunks take no more memory than their bytes", async (t) => {
  silence(t);
  const write = endless(CHUNKED, chunk("x").repeat(10_000));
  const hub = await fakeHub(t, { writers: { [RESOLUTION]: write } });
  let most = 0;
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss);
  }, 100);
  const before = process.memoryUsage().rss;
  const denied = await call(hub);
  clearInterval(timer);
  assert.equal(denied.behavior, "deny");
  assert.ok(most - before < 512 * MIB, `${(most - before) / MIB} MiB`);
});

test("an answer of 32 MiB is read", async (t) => {
  silence(t);
  const body = JSON.stringify(ALLOW).padEnd(32 * MIB);
  const hub = await fakeHub(t, { writers: { [RESOLUTION]: respond(200, body) } });
  assert.equal((await call(hub)).behavior, "allow");
  hub.writers[RESOLUTION] = respond(200, `${body} `);
  assert.equal((await call(hub)).behavior, "deny");
});

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc");

/** Writes a head, and then a piece every 50 ms. What is not held meanwhile is gone. */
const slow = (head, piece) => (socket) => {
  socket.write(head);
  const timer = setInterval(() => {
    collectGarbage();
    socket.write(piece);
  }, 50);
  socket.on("close", () => clearInterval(timer));
};

test("a slow answer is waited for no longer than the limit", async (t) => {
  silence(t);
  const body = slow("HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n", "x");
  const headers = slow("HTTP/1.1 200 OK\r\n", "x: y\r\n");
  const interim = slow("", "HTTP/1.1 102 Processing\r\n\r\n");
  for (const [request, seconds] of [
    [POST, 30],
    [RESOLUTION, 60],
  ]) {
    for (const write of [body, headers, interim]) {
      const limits = [];
      const real = globalThis.setTimeout;
      // Time passes a hundred times as fast for the limits of a request.
      const fast = t.mock.method(globalThis, "setTimeout", (run, milliseconds, ...args) => {
        limits.push(milliseconds / 1000);
        return real(run, milliseconds / 100, ...args);
      });
      const hub = await fakeHub(t, { writers: { [request]: write } });
      const denied = await call(hub);
      fast.mock.restore();
      assert.equal(denied.behavior, "deny");
      assert.match(denied.message, /it takes too long/);
      assert.ok(limits.includes(seconds), `${limits}`);
      await hub.left;
    }
  }
});
