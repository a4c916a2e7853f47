import { expect, test } from "vitest";

import type { AskResponse, SessionJson, StartParams } from "../generated/v1";
import { Api, Ticket } from "../hub/api";
import { Sessions } from "./sessions.svelte";
import { Talk } from "./talk.svelte";

const session = (id: string, more: Partial<SessionJson> = {}): SessionJson => ({
  id, agent: "claude-code", agentSession: `agent-${id}`, directory: "/home/ann/shop", host: null, title: null, state: "working", trouble: null,
  startedAt: "2026-01-01T00:00:00Z", changedAt: "2026-01-01T00:00:00Z", messages: 0, interrupts: 0, ending: false, ...more,
});
const ask = (id: string, agent: string, name: string | null) => ({ id, asker: { agent, session: name } }) as AskResponse;

/** Answers every call from this table, and notes what was said. */
function hub(routes: Record<string, unknown>): { api: Api; calls: string[]; bodies: unknown[] } {
  const calls: string[] = [];
  const bodies: unknown[] = [];
  globalThis.fetch = (async (url: string, init: RequestInit) => {
    const call = `${init.method} ${url.replace("/api/v1/", "")}`;
    calls.push(call);
    if (init.body) bodies.push(JSON.parse(String(init.body)));
    const found = routes[call];
    const answer = typeof found === "function" ? (found as () => unknown)() : found;
    const status = answer === undefined ? 404 : ((answer as { status?: number }).status ?? 200);
    return new Response(JSON.stringify(answer ?? { status: 404, code: "no_such_session", title: "there is no such session" }), { status });
  }) as typeof fetch;
  const ticket = new Ticket();
  ticket.renew("ticket");
  return { api: new Api(ticket), calls, bodies };
}
const LIVE = "GET sessions?live=true&limit=500";
const page = (sessions: SessionJson[], next: string | null = null) => ({ sessions, next, startIn: [] });

test("an ask belongs to the session of the same agent with the same name", async () => {
  const { api } = hub({ [LIVE]: page([session("a"), session("b", { agent: "codex" }), session("c", { agentSession: null })]) });
  const it = new Sessions(api);
  await it.list();
  const open = [ask("1", "claude-code", "agent-a"), ask("2", "claude-code", "agent-a"), ask("3", "claude-code", "agent-b"), ask("4", "claude-code", null)];
  expect([...it.waiting(open)].map(([id, asks]) => [id, asks.map((one) => one.id)])).toEqual([["a", ["1", "2"]]]);
});

test("what is heard while the list is on its way is not undone by the list", async () => {
  const { api } = hub({ [LIVE]: page([session("a", { title: "old" })]) });
  const it = new Sessions(api);
  const listing = it.list();
  it.heard(session("a", { title: "new" }), []);
  await listing;
  expect(it.all.get("a")?.title).toBe("new");
});

test("what has ended unheard is looked up, and what is gone is taken away", async () => {
  const first = page([session("a"), session("b")]);
  let live = first;
  const { api } = hub({ [LIVE]: () => live, "GET sessions/a": session("a", { state: "ended" }) });
  const it = new Sessions(api);
  await it.list();
  live = page([]);
  await it.list();
  expect([it.all.get("a")?.state, it.all.has("b")]).toEqual(["ended", false]);
});

test("pages without any that is over are passed by", async () => {
  const { api, calls } = hub({
    "GET sessions?limit=50": page([session("c")], "c"),
    "GET sessions?limit=50&after=c": page([session("b", { state: "ended" })], "b"),
    "GET sessions?limit=50&after=b": page([session("a", { state: "ended" })]),
  });
  const it = new Sessions(api);
  await it.more();
  expect([it.inOrder.map(({ id }) => id), it.next]).toEqual([["c", "b"], "b"]);
  await it.more();
  expect([it.next, calls.length]).toEqual([null, 3]);
});

test("a link to no session is noted", async () => {
  const { api } = hub({});
  const it = new Sessions(api);
  await it.lookUp("x");
  expect(it.missing.has("x")).toBe(true);
});

test("a start is told once with its words, and a refusal names the field", async () => {
  const refusal = { status: 422, code: "invalid", title: "invalid", violations: [{ path: "directory", found: "/etc", allowed: "a directory listed in startIn" }] };
  let answer: unknown = refusal;
  const { api, bodies } = hub({ "POST sessions/start": () => answer });
  const talk = new Talk("start");
  talk.text = "Tidy up";
  const start = (directory: string) => talk.send((text, idempotencyKey) => api.startSession({ directory, text, idempotencyKey }), directory);
  expect(await start("/etc")).toBeNull();
  expect([talk.text, talk.problem?.violations?.[0]?.path]).toEqual(["Tidy up", "directory"]);
  answer = session("new");
  expect((await start("/home/ann"))?.id).toBe("new");
  const [refused, taken] = bodies as StartParams[];
  expect(refused?.idempotencyKey).not.toBe(taken?.idempotencyKey);
  expect(taken).toMatchObject({ directory: "/home/ann", text: "Tidy up" });
});
