/** The line to the hub: always visible, and back by itself without a gap. */

import { answer, answersOf, card, draftIsKept, enter, expect, isLive, isOffline, option, ownWords, pressAnyway, submit, test } from "./fixtures.ts";
import { auth, database, features } from "./questions.ts";

test("the page says that it is connecting, live, and offline", async ({ page, hub, watch }) => {
  watch.allowCuts();
  const state = page.getByRole("banner").getByRole("status");
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route(/\/api\/v1\/status$/, async (route) => {
    await held;
    await route.continue();
  });
  await page.goto(await hub.link());
  await expect(state).toHaveText("Connecting…");
  release();
  await expect(state).toHaveText("Live");
  await page.context().setOffline(true);
  await expect(state).toHaveText("Offline");
  await expect(page.getByRole("alert")).toContainText("The hub cannot be reached.");
  await expect(page).toHaveTitle(/offline/);
  await page.context().setOffline(false);
  await expect(state).toHaveText("Live");
  await expect(page.getByRole("alert")).toHaveCount(0);
  await expect(page).not.toHaveTitle(/offline/);
});

test("offline nothing can be sent, and Submit says so; what was written is kept", async ({ page, hub, watch }) => {
  watch.allowCuts();
  const ask = await hub.ask({ questions: [database] });
  await enter(page, hub);
  const it = card(page, ask);
  await ownWords(it, "Database").fill("DuckDB");
  await draftIsKept(it);
  await page.context().setOffline(true);
  await isOffline(page);
  await pressAnyway(submit(it));
  await submit(it).press("Control+Enter");
  await expect(submit(it)).toHaveAccessibleDescription("Not while the hub cannot be reached. It is kept.");
  await it.getByRole("button", { name: "Decline…" }).click();
  await pressAnyway(it.getByRole("button", { name: "Decline", exact: true }));
  expect(watch.said).toEqual([]);
  await expect(ownWords(it, "Database")).toHaveValue("DuckDB");
  await page.context().setOffline(false);
  await isLive(page);
  await submit(it).click();
  expect(await answersOf(hub, ask)).toEqual([answer([], { words: "DuckDB" })]);
});

test("a hub that is killed and comes back finds its page again, with the words in it", async ({ page, hub, watch }) => {
  watch.allowCuts();
  const ask = await hub.ask({ questions: [database] });
  await enter(page, hub);
  const it = card(page, ask);
  await ownWords(it, "Database").fill("DuckDB");
  await hub.kill();
  await isOffline(page);
  await hub.launch();
  await isLive(page);
  await expect(page.getByText("The hub was restarted.")).toBeVisible();
  await expect(ownWords(it, "Database")).toHaveValue("DuckDB");
  await submit(it).click();
  expect(await answersOf(hub, ask)).toEqual([answer([], { words: "DuckDB" })]);
  await page.getByRole("button", { name: "Good" }).click();
  await expect(page.getByText("The hub was restarted.")).toHaveCount(0);
});

test("what came and ended while the hub restarted and the page was away is there without a reload", async ({ page, hub, watch }) => {
  watch.allowCuts();
  const first = await hub.ask({ questions: [database] });
  await enter(page, hub);
  await ownWords(card(page, first), "Database").fill("too slow");
  await draftIsKept(card(page, first));
  await page.context().setOffline(true);
  await isOffline(page);
  await hub.kill();
  await hub.launch();
  await hub.answer(first.id, { answers: [answer(["SQLite"])] });
  const second = await hub.ask({ questions: [auth], asker: { session: "s-2" } });
  await page.context().setOffline(false);
  await isLive(page);
  await expect(card(page, second)).toContainText(auth.question);
  await expect(card(page, first)).toContainText("Answered by you through the API");
  await expect(card(page, first).getByRole("group", { name: "Your words, kept" })).toContainText("too slow");
});

test("after sleep nothing is missing and nothing is there twice", async ({ page, hub, watch }) => {
  watch.allowCuts();
  const frames: { seq: number }[] = [];
  page.on("websocket", (socket) =>
    socket.on("framereceived", ({ payload }) => {
      const frame = JSON.parse(String(payload)) as { type: string; seq: number };
      if (frame.type === "event") frames.push(frame);
    }),
  );
  const before = await hub.ask({ questions: [database] });
  const passing = await hub.ask({ questions: [features] });
  await enter(page, hub);
  await expect(card(page, passing)).toBeVisible();
  await page.context().setOffline(true);
  await isOffline(page);
  await hub.answer(before.id, { answers: [answer(["SQLite"])] });
  const asleep = [];
  for (let i = 0; i < 5; i++) asleep.push(await hub.ask({ questions: [{ ...auth, question: `Number ${i}?` }], asker: { session: `s-${i}` } }));
  await hub.withdraw(asleep[1]!.id);
  await page.context().setOffline(false);
  await isLive(page);

  await expect(page.getByRole("heading", { level: 1 })).toHaveText("5 asks wait");
  await expect(page.getByRole("article")).toHaveCount(7);
  await expect(card(page, before)).toHaveAttribute("data-state", "resolved");
  await expect(card(page, asleep[1]!)).toHaveAttribute("data-state", "resolved");
  const seen = frames.map((frame) => frame.seq);
  expect(seen).toEqual([...new Set(seen)].sort((a, b) => a - b));
});

test("a hub of another version is told, with a way to reload", async ({ page, hub }) => {
  await enter(page, hub);
  await hub.pretendsToBe("99.1.0", page);
  await page.reload();
  await expect(page.getByRole("alert")).toContainText("The hub is version 99.1.0 now");
  await isLive(page);
  const loaded = page.waitForEvent("load");
  await page.getByRole("button", { name: "Reload" }).click();
  await loaded;
});

test("a browser that is revoked while open is asked to log in, and has its words after that", async ({ page, hub, watch }) => {
  watch.allow(/401/);
  const ask = await hub.ask({ questions: [database] });
  await enter(page, hub);
  await ownWords(card(page, ask), "Database").fill("do not lose me");
  await draftIsKept(card(page, ask));
  const mine = (await hub.devices()).find((device) => device.name.includes("Chrome"));
  await hub.call("person", "DELETE", `devices/${mine?.id}`);
  await expect(page.getByRole("heading", { name: "This browser is not logged in any more" })).toBeVisible();
  await expect(page.getByText(database.question)).toHaveCount(0);
  await expect(page.getByText("What you typed is kept in this browser.")).toBeVisible();

  await page.getByRole("textbox", { name: "Or paste the link" }).fill(await hub.link());
  await page.getByRole("button", { name: "Log in" }).click();
  await isLive(page);
  await expect(ownWords(card(page, ask), "Database")).toHaveValue("do not lose me");
  await option(card(page, ask), "SQLite").check();
  await submit(card(page, ask)).click();
  expect(await answersOf(hub, ask)).toEqual([answer(["SQLite"])]);
});

test("an answer whose confirmation is lost on the way is sent again, counts once, and is not called unsent", async ({ page, hub, watch }) => {
  watch.allowCuts();
  const ask = await hub.ask({ questions: [database] });
  // Silence from the socket, too: the page cannot know.
  await page.routeWebSocket(/events/, (socket) => {
    socket.connectToServer().onMessage((message) => {
      if (!String(message).includes("ask.resolved")) socket.send(message);
    });
  });
  let lost = 0;
  await page.route(/\/answer$/, async (route) => {
    const response = await route.fetch();
    if (lost++ === 0) await route.abort("connectionreset");
    else await route.fulfill({ response });
  });
  await enter(page, hub);
  const it = card(page, ask);
  await ownWords(it, "Database").fill("DuckDB");
  await submit(it).click();
  await expect(it.getByRole("alert")).toContainText("The hub cannot be reached. Nothing is lost: try again when it is back.");
  await submit(it).click();
  await expect(it).toContainText("Answered by you, here");
  await expect(it.getByRole("group", { name: "Your words, kept" })).toHaveCount(0);
  expect(await answersOf(hub, ask)).toEqual([answer([], { words: "DuckDB" })]);
});
