/** What a person has typed is not lost, whatever happens to the page. */

import { answer, answersOf, card, draftIsKept, enter, expect, isLive, isOffline, option, ownWords, submit, test } from "./fixtures.ts";
import { database, features } from "./questions.ts";

test("words, ticks and notes survive a reload", async ({ page, hub }) => {
  const ask = await hub.ask({ questions: [features] });
  await enter(page, hub);
  const it = card(page, ask);
  await option(it, "TypeScript").check();
  await ownWords(it, "Features").fill("and docs");
  await it.getByRole("button", { name: "Add a note" }).click();
  await it.getByRole("textbox", { name: "Note beside the answer" }).fill("soon");
  await page.reload();
  await expect(option(it, "TypeScript")).toBeChecked();
  await expect(ownWords(it, "Features")).toHaveValue("and docs");
  await expect(it.getByRole("textbox", { name: "Note beside the answer" })).toHaveValue("soon");
  await submit(it).click();
  expect(await answersOf(hub, ask)).toEqual([answer(["TypeScript"], { words: "and docs", notes: "soon" })]);
});

test("a page that crashes right after the last key has kept it", async ({ page, hub, context }) => {
  const ask = await hub.ask({ questions: [database] });
  // Nothing reaches the hub: what is kept is kept by the browser.
  await context.route(/\/draft$/, (route) => (route.request().method() === "PUT" ? undefined : route.continue()));
  await enter(page, hub);
  await ownWords(card(page, ask), "Database").pressSequentially("half a thought");
  const crashed = page.waitForEvent("crash");
  await page.goto("chrome://crash").catch(() => {});
  await crashed;

  const next = await context.newPage();
  await next.goto(hub.url);
  await expect(ownWords(card(next, ask), "Database")).toHaveValue("half a thought");
});

test("a page that is closed without warning has kept the last key", async ({ page, hub, context }) => {
  const ask = await hub.ask({ questions: [database] });
  await enter(page, hub);
  await ownWords(card(page, ask), "Database").pressSequentially("half");
  await page.close({ runBeforeUnload: false });
  const next = await context.newPage();
  await next.goto(hub.url);
  await expect(ownWords(card(next, ask), "Database")).toHaveValue("half");
});

test("a second device has the draft when it opens the card, and follows the typing", async ({ page, hub, another }) => {
  const ask = await hub.ask({ questions: [database] });
  await enter(page, hub);
  await ownWords(card(page, ask), "Database").fill("DuckDB");
  await draftIsKept(card(page, ask));

  const phone = await another();
  await enter(phone, hub);
  const there = card(phone, ask);
  await expect(ownWords(there, "Database")).toHaveValue("DuckDB");
  await ownWords(card(page, ask), "Database").fill("DuckDB, or a file");
  await expect(ownWords(there, "Database")).toHaveValue("DuckDB, or a file");
  await option(card(page, ask), "SQLite").check();
  await expect(option(there, "SQLite")).toBeChecked();
  await submit(there).click();
  expect(await answersOf(hub, ask)).toEqual([answer(["SQLite"])]);
});

test("what two devices typed while one was offline is both there: one's own stays, the other's is offered", async ({ page, hub, another, watch }) => {
  watch.allowCuts();
  watch.allow(/409/);
  const ask = await hub.ask({ questions: [database] });
  const phone = await another();
  await enter(page, hub);
  await enter(phone, hub);
  const [here, there] = [card(page, ask), card(phone, ask)];
  await expect(there).toBeVisible();
  await phone.context().setOffline(true);
  await isOffline(phone);
  await ownWords(there, "Database").fill("from the phone");
  await ownWords(here, "Database").fill("from the desk");
  await draftIsKept(here);
  await phone.context().setOffline(false);
  await isLive(phone);

  await expect(there).toContainText("You have typed something else here, too: from the desk");
  await expect(ownWords(there, "Database")).toHaveValue("from the phone");
  await there.getByRole("button", { name: "Use that" }).click();
  await expect(ownWords(there, "Database")).toHaveValue("from the desk");
  await submit(there).click();
  expect(await answersOf(hub, ask)).toEqual([answer([], { words: "from the desk" })]);
});

test("the other device's words can be left alone", async ({ page, hub, another, watch }) => {
  watch.allowCuts();
  watch.allow(/409/);
  const ask = await hub.ask({ questions: [database] });
  const phone = await another();
  await enter(page, hub);
  await enter(phone, hub);
  const [here, there] = [card(page, ask), card(phone, ask)];
  await expect(there).toBeVisible();
  await phone.context().setOffline(true);
  await isOffline(phone);
  await ownWords(there, "Database").fill("from the phone");
  await ownWords(here, "Database").fill("from the desk");
  await draftIsKept(here);
  await phone.context().setOffline(false);
  await there.getByRole("button", { name: "Keep this" }).click();
  await expect(there.getByText("You have typed something else")).toHaveCount(0);
  await submit(there).click();
  expect(await answersOf(hub, ask)).toEqual([answer([], { words: "from the phone" })]);
});

test("what is typed offline can be sent after the line is back, even after a reload", async ({ page, hub, watch }) => {
  watch.allowCuts();
  const ask = await hub.ask({ questions: [database] });
  await enter(page, hub);
  const it = card(page, ask);
  await expect(it).toBeVisible();
  await page.context().setOffline(true);
  await isOffline(page);
  await ownWords(it, "Database").pressSequentially("written in a tunnel");
  await expect(it).toContainText("Draft kept on this device.");
  await page.context().setOffline(false);
  await isLive(page);
  await draftIsKept(it);
  await page.reload();
  await expect(ownWords(it, "Database")).toHaveValue("written in a tunnel");
  await submit(it).click();
  expect(await answersOf(hub, ask)).toEqual([answer([], { words: "written in a tunnel" })]);
});

test("others see that somebody types, and never what", async ({ page, hub }) => {
  const ask = await hub.ask({ questions: [database] });
  await enter(page, hub);
  const frames: string[] = [];
  page.on("websocket", (socket) => socket.on("framereceived", ({ payload }) => frames.push(String(payload))));
  await page.reload();
  await isLive(page);
  await expect(card(page, ask)).toBeVisible();
  const draft = { version: 7, answers: [answer([], { words: "a secret thought" })] };
  await hub.call("person", "PUT", `asks/${ask.id}/draft`, draft);
  await expect(card(page, ask)).toContainText("somebody is typing…");
  expect(frames.filter((frame) => frame.includes('"typing"'))).toHaveLength(1);
  expect(frames.join()).not.toContain("secret");

  await expect(hub.call("agent", "GET", `asks/${ask.id}/draft`)).rejects.toThrow("403");
  expect(JSON.stringify(await hub.get(ask.id))).not.toContain("secret");
  await expect(card(page, ask)).not.toContainText("somebody is typing…");
});

test("after the answer no draft is left, here or at the hub", async ({ page, hub }) => {
  const ask = await hub.ask({ questions: [database] });
  await enter(page, hub);
  const it = card(page, ask);
  await ownWords(it, "Database").fill("DuckDB");
  await draftIsKept(it);
  expect((await hub.draft(ask.id))?.answers[0]?.words).toBe("DuckDB");
  await submit(it).click();
  await expect.poll(() => hub.draft(ask.id)).toBeNull();
  const left = await page.evaluate(() => Object.keys(localStorage).filter((name) => name.includes("draft")));
  expect(left).toEqual([]);
});

test("words that lost a race are found in History after a reload, until they are thrown away", async ({ page, hub }) => {
  const ask = await hub.ask({ questions: [database] });
  await enter(page, hub);
  await ownWords(card(page, ask), "Database").fill("my precious words");
  await draftIsKept(card(page, ask));
  await hub.answer(ask.id, { answers: [answer(["SQLite"])] });
  const kept = page.getByRole("group", { name: "Your words, kept" });
  await expect(kept).toContainText("my precious words");
  await page.reload();
  await page.getByRole("link", { name: "History" }).click();
  await page.locator("summary", { hasText: database.question }).click();
  await expect(kept).toContainText("my precious words");
  await kept.getByRole("button", { name: "Throw it away" }).click();
  await expect(kept).toHaveCount(0);
});
