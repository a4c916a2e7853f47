// The callback alone, without an agent.
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { test } from "node:test";

import { Handraise, HandraiseError } from "handraise";

const OPTIONS = [{ label: "A" }, { label: "B" }];
const QUESTIONS = { questions: [{ question: "Which?", options: OPTIONS }] };
const NEVER = new AbortController().signal;

/** An address at which nobody listens any more. */
const NOBODY = await standIn().then(async ({ server, url }) => {
  await new Promise((resolve) => server.close(resolve));
  return url;
});

const call = (hand, tool = "AskUserQuestion", input = QUESTIONS, signal = NEVER) =>
  hand.canUseTool(tool, input, { signal, toolUseID: "toolu_1", requestId: "r" });

/** Time that passes when it is slept away. */
function fakeTime(hand) {
  const time = { now: 0 };
  hand.clock = {
    now: () => time.now,
    sleep: async (milliseconds) => {
      time.now += milliseconds;
    },
  };
  return time;
}

/** A hub that takes every ask and ends it like this, or not at all, and notes what it is told. */
async function standIn(resolution) {
  const told = [];
  const asked = [];
  const server = createServer(async (request, response) => {
    const said = `${request.method} ${request.url.split("?")[0]}`;
    if (said === "POST /api/v1/asks") {
      asked.push(await json(request));
    }
    told.push(said);
    server.emit("told", said);
    request.resume();
    if (said.endsWith("/resolution") && resolution) {
      response.end(JSON.stringify(resolution));
    } else if (!said.endsWith("/resolution")) {
      const policy = { deadlineSeconds: null, onDeadline: "tell" };
      const ask = { id: "1", state: "open", policy };
      response.end(JSON.stringify(ask));
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${server.address().port}`;
  const untilTold = async (said) => {
    while (!told.includes(said)) {
      await once(server, "told");
    }
  };
  return { url, told, asked, untilTold, server };
}

test("a hub away for longer than the deadline is silence", async () => {
  const hand = new Handraise({ url: NOBODY, token: "t", deadline: 60 });
  const time = fakeTime(hand);
  const message =
    "Nobody answered within 60 s. This is neither a choice nor consent. " +
    "Do not choose for the person.";
  assert.deepEqual(await call(hand), { behavior: "deny", message });
  assert.ok(time.now >= 60_000 && time.now < 61_000);
});

test("a question that was given up is withdrawn, though the first try fails", async (t) => {
  t.mock.method(console, "warn", () => {});
  const told = [];
  let asked = 0;
  const server = createServer((request, response) => {
    const said = `${request.method} ${request.url.split("?")[0]}`;
    told.push(said);
    const fails = said === "GET /api/v1/asks/1/resolution" || said.endsWith("/withdraw");
    if (fails && told.filter((it) => it === said).length === 1) {
      request.socket.destroy();
    } else if (said.endsWith("/resolution")) {
      response.end(JSON.stringify({ kind: "declined", responder: { surface: "web" } }));
    } else {
      const policy = { deadlineSeconds: null, onDeadline: "tell" };
      if (said === "POST /api/v1/asks") {
        asked++;
      }
      response.end(JSON.stringify({ id: `${asked}`, state: "open", policy }));
    }
  });
  t.after(() => server.close());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${server.address().port}`;
  const hand = new Handraise({ url, token: "t", onDisconnect: "decline" });
  fakeTime(hand);
  await call(hand);
  await call(hand);
  const withdrawn = told.filter((said) => said === "POST /api/v1/asks/1/withdraw");
  assert.equal(withdrawn.length, 2);
});

test("prime-agent: a hub that is away is a timeout with interrupt", async () => {
  const hand = new Handraise({ url: NOBODY, token: "t", preset: "prime-agent" });
  const time = fakeTime(hand);
  const denied = { behavior: "deny", message: "User response timeout", interrupt: true };
  assert.deepEqual(await call(hand), denied);
  assert.ok(time.now >= 55_000 && time.now < 56_000);
});

test("decline without a hub waits for nothing", async (context) => {
  context.mock.method(console, "warn", () => {});
  const hand = new Handraise({ url: NOBODY, token: "t", onDisconnect: "decline" });
  const time = fakeTime(hand);
  const denied = await call(hand);
  assert.equal(denied.interrupt, undefined);
  assert.ok(denied.message.startsWith(`Nobody could be reached: the hub at ${NOBODY} does not`));
  assert.equal(time.now, 0);
  assert.equal(console.warn.mock.callCount(), 1);
});

test("a function decides for each tool", async () => {
  const verdicts = { Read: "approve", Bash: "deny", Write: "maybe" };
  const hand = new Handraise({ url: NOBODY, token: "t", tools: (tool) => verdicts[tool] });
  const input = { path: "x" };
  assert.deepEqual(await call(hand, "Read", input), { behavior: "allow", updatedInput: input });
  const message = "Bash is not allowed here. Nobody was asked.";
  assert.deepEqual(await call(hand, "Bash", input), { behavior: "deny", message });
  await assert.rejects(call(hand, "Write", input), /tools\("Write"\): found "maybe"/);
  await assert.rejects(call(hand, "Edit", input), /tools\("Edit"\): found null/);
});

test("what JavaScript cannot keep is not asked", async () => {
  const hand = new Handraise({ url: NOBODY, token: "t" });
  const denied = await call(hand, "AskUserQuestion", { questions: [{ question: "__proto__" }] });
  assert.match(denied.message, /cannot be answered/);
});

test("when it is cancelled, the question is withdrawn and nothing is left", async () => {
  const hub = await standIn();
  const hand = new Handraise({ url: hub.url, token: "t" });
  const controller = new AbortController();
  const listeners = { now: 0 };
  for (const [method, step] of [["addEventListener", 1], ["removeEventListener", -1]]) {
    const real = controller.signal[method].bind(controller.signal);
    controller.signal[method] = (...args) => {
      listeners.now += step;
      return real(...args);
    };
  }
  const timersBefore = timers();
  const waiting = call(hand, "AskUserQuestion", QUESTIONS, controller.signal);
  await hub.untilTold("GET /api/v1/asks/1/resolution");
  assert.deepEqual(hand.waiting.map(({ askId }) => askId), ["1"]);
  controller.abort(new Error("enough"));
  await assert.rejects(waiting, /enough/);
  assert.ok(hub.told.includes("POST /api/v1/asks/1/withdraw"));
  assert.deepEqual(hand.waiting, []);
  assert.equal(listeners.now, 0);
  assert.equal(timers(), timersBefore);
  // Ends only when nobody is connected any more, but for idle connections, which it closes.
  hub.server.close();
  await once(hub.server, "close");
});

const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;

test("what was cancelled before it began is not asked", async () => {
  const hub = await standIn();
  const hand = new Handraise({ url: hub.url, token: "t" });
  const gone = AbortSignal.abort(new Error("enough"));
  await assert.rejects(call(hand, "AskUserQuestion", QUESTIONS, gone), /enough/);
  assert.deepEqual(hub.told, []);
  hub.server.close();
});

test("a hub elsewhere needs a token of the power that is used", async () => {
  const hand = new Handraise({ url: NOBODY, token: "t" });
  const missing = new HandraiseError("no_token", "personToken: missing; needed with url");
  await assert.rejects(hand.answer("1", {}), missing);
});

test("an end that an agent claims is not an answer", async (t) => {
  const chosen = { selected: ["A"], words: null, notes: null, leftOpen: false };
  const allow = { decision: "allow", input: { command: "x" }, remember: true, message: null };
  for (const responder of [{ surface: "dialog", person: null }, null]) {
    for (const [tool, claim, words] of [
      ["AskUserQuestion", { answers: [chosen] }, "No option was chosen; do not assume one."],
      ["Bash", allow, "It is not allowed."],
    ]) {
      const hub = await standIn({ kind: "answered", responder, ...claim });
      t.after(() => hub.server.close());
      const hand = new Handraise({ url: hub.url, token: "t" });
      const result = await call(hand, tool, tool === "Bash" ? { command: "ls" } : QUESTIONS);
      assert.equal(result.behavior, "deny");
      assert.match(result.message, new RegExp(words));
    }
  }
});

test("each agent uses its own token", async (t) => {
  const home = await mkdtemp(join(tmpdir(), "handraise-"));
  t.after(() => rm(home, { recursive: true }));
  await mkdir(join(home, "agents"));
  const keep = (name) => writeFile(join(home, `${name}.token`), `token of ${name}\n`);
  await Promise.all(["agent", "person", "agents/sdk-typescript", "agents/bot"].map(keep));
  const chosen = { selected: ["A"], words: null, notes: null, leftOpen: false };
  const responder = { surface: "web", person: "ann" };
  const hub = await standIn({ kind: "answered", responder, answers: [chosen] });
  t.after(() => hub.server.close());
  await writeFile(join(home, "hub.json"), JSON.stringify({ url: hub.url, pid: process.pid }));
  const used = async (agent) => {
    const tokens = new Set();
    const note = (request) => tokens.add(request.headers.authorization);
    hub.server.on("request", note);
    process.env.HANDRAISE_AGENT = agent;
    try {
      await call(new Handraise({ home }));
    } finally {
      delete process.env.HANDRAISE_AGENT;
      hub.server.off("request", note);
    }
    return [...tokens];
  };
  assert.deepEqual(await used(""), ["Bearer token of agents/sdk-typescript"]);
  assert.deepEqual(await used("bot"), ["Bearer token of agents/bot"]);
  for (const name of ["nobody", "../person", ".", "a/b", "a b", "a\n", "x".repeat(101)]) {
    assert.deepEqual(await used(name), [], "nothing is sent");
  }
  await rm(join(home, "agents"), { recursive: true });
  assert.deepEqual(await used(""), ["Bearer token of agent"], "a hub of an older version");
});

test(
  "a process that has the number of a dead hub gets no token",
  { skip: process.platform !== "linux" && "the start of a process is read in /proc" },
  async (t) => {
    const home = await mkdtemp(join(tmpdir(), "handraise-"));
    t.after(() => rm(home, { recursive: true }));
    await writeFile(join(home, "agent.token"), "t\n");
    const chosen = { selected: ["A"], words: null, notes: null, leftOpen: false };
    const responder = { surface: "web", person: "ann" };
    const hub = await standIn({ kind: "answered", responder, answers: [chosen] });
    t.after(() => hub.server.close());
    let requests = 0;
    hub.server.on("request", () => requests++);
    const stat = await readFile("/proc/self/stat", "latin1");
    const started = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]);
    const announce = (started) =>
      writeFile(join(home, "hub.json"), JSON.stringify({ url: hub.url, pid: process.pid, started }));
    await announce(started + 1);
    const gone = new Handraise({ home, preset: "prime-agent" });
    fakeTime(gone);
    await call(gone);
    assert.equal(requests, 0);
    await announce(started);
    await call(new Handraise({ home }));
    assert.ok(requests > 0);
  },
);

test("metadata goes to the hub and back to the agent", async () => {
  const chosen = { selected: ["A"], words: null, notes: null, leftOpen: false };
  const responder = { surface: "dashboard", person: "ann" };
  const deep = {};
  for (let inner = deep, n = 0; n < 50_000; n++) {
    inner = inner.a = {};
  }
  for (const [metadata, isKept, isEchoed] of [
    [{ source: "remember" }, true, true],
    [{}, true, true],
    [{ source: "x".repeat(20_000) }, false, true],
    [deep, false, true],
    ["remember", false, false],
    [null, false, false],
    [[], false, false],
  ]) {
    const hub = await standIn({ kind: "answered", responder, answers: [chosen] });
    const hand = new Handraise({ url: hub.url, token: "t" });
    const result = await call(hand, "AskUserQuestion", { ...QUESTIONS, metadata });
    const [asked] = hub.asked;
    assert.deepEqual(asked.questions, QUESTIONS.questions);
    assert.deepEqual(asked.metadata, isKept ? metadata : undefined);
    assert.equal(result.updatedInput.metadata, isEchoed ? metadata : undefined);
    hub.server.close();
  }
});
