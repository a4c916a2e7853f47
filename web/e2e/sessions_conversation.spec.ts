/** What is said in a session, as it is said. */

import type { Locator, Page } from "@playwright/test";

import { answer, answersOf, card, enter, expect, isLive, isOffline, option, ownWords, submit, test } from "./fixtures.ts";
import type { Hub } from "./hub.ts";
import { auth, database, features } from "./questions.ts";
import { Runner } from "./runner.ts";

const speaking = (page: Page): Locator => page.locator("[data-message=speaking]");
const said = (page: Page, key: string): Locator => page.locator(`[data-key="${key}"]`);
const atEnd = (page: Page) => page.evaluate(() => document.documentElement.scrollHeight - innerHeight - scrollY < 2);

/** Opens the page of a session; a test that cuts the line opens it before. */
async function follow(page: Page, hub: Hub, runner: Runner): Promise<void> {
  await enter(page, hub);
  await page.goto(`${hub.url}/#/sessions/${runner.id}`);
  await expect(page.getByRole("region", { name: "To Claude" })).toBeVisible();
}

test("what was said before and what is said now stand in their order", async ({ page, hub }) => {
  const runner = await Runner.begin(hub);
  await runner.hear("Make it fast");
  await runner.say("a1", "I **will**.");
  await follow(page, hub, runner);
  await runner.tool("t1", "done", "Read", "cart.ts", "42 lines");
  await runner.note("n1", "The agent was interrupted.");
  await runner.note("n2", "It ended with exit code 1.", "failed");
  await expect(said(page, "n2")).toBeVisible();
  expect(await page.locator("[data-message]").evaluateAll((all) => all.map((one) => one.getAttribute("data-message")))).toEqual(["user", "assistant", "tool", "note", "note"]);
  await expect(said(page, "a1").locator("strong")).toHaveText("will");
  await expect(page.locator("[data-message=user]")).toContainText("You through the API");
});

test("what the agent is saying grows piece by piece, and is then what it said", async ({ page, hub }) => {
  const runner = await Runner.begin(hub);
  await follow(page, hub, runner);
  const pieces = ["Grüße, ", "👩‍👩‍👧 ", "**日本", "語** and ", "done."];
  let before = "";
  for (const piece of pieces) {
    await runner.stream("a1", before, piece);
    before += piece;
    await expect(speaking(page)).toContainText(before.replaceAll("**", "").trim().slice(0, 12));
  }
  await expect(speaking(page)).toHaveText("Claude Grüße, 👩‍👩‍👧 日本語 and done.");
  await expect(speaking(page).locator("strong")).toHaveText("日本語");
  await runner.say("a1", `${before} For good.`);
  await expect(said(page, "a1")).toContainText("For good.");
  await expect(speaking(page)).toHaveCount(0);
});

test("a page that is opened in the middle of it shows what came before", async ({ page, hub, another }) => {
  const runner = await Runner.begin(hub);
  await runner.stream("a1", "", "Il était ");
  await follow(page, hub, runner);
  await expect(speaking(page)).toContainText("Il était");
  await runner.stream("a1", "Il était ", "une fois");
  await expect(speaking(page)).toContainText("Il était une fois");
  const second = await another();
  await follow(second, hub, runner);
  await expect(speaking(second)).toContainText("Il était une fois");
  await runner.stream("a1", "Il était une fois", " un hub");
  for (const one of [page, second]) await expect(speaking(one)).toContainText("Il était une fois un hub");
});

test("an agent that stops speaking without having said it leaves nothing behind", async ({ page, hub }) => {
  const runner = await Runner.begin(hub);
  await follow(page, hub, runner);
  await runner.stream("a1", "", "I was about to");
  await expect(speaking(page)).toBeVisible();
  await runner.tell({ state: "idle" });
  await expect(speaking(page)).toHaveCount(0);
});

test("a screen reader is told what was said, once and whole", async ({ page, hub }) => {
  const runner = await Runner.begin(hub);
  await runner.say("a0", "Long ago.");
  await follow(page, hub, runner);
  await expect(said(page, "a0")).toBeVisible();
  const live = page.locator("p[aria-live=polite]");
  await runner.stream("a1", "", "Half of");
  await expect(speaking(page)).toBeVisible();
  await expect(live).toBeEmpty();
  await runner.say("a1", "All of it.");
  await expect(live).toHaveText("Claude: All of it.");
  await runner.ask({ questions: [database] });
  await expect(live).toContainText("Claude is asking");
  await expect(page.getByRole("list", { name: "Conversation" })).not.toHaveAttribute("aria-live");
});

test("a tool runs, ends and fails in its place, and unfolds to all of it", async ({ page, hub }) => {
  const runner = await Runner.begin(hub);
  await follow(page, hub, runner);
  await runner.tool("t1", "running", "Bash", "npm test\nnpm run build");
  const tool = said(page, "t1");
  await expect(tool).toContainText("running");
  await expect(tool.locator("summary")).toContainText("npm test npm run build");
  await runner.tool("t1", "failed", "Bash", "npm test\nnpm run build", "1 failed\n" + "x\n".repeat(500));
  await expect(tool).toContainText("failed");
  await tool.locator("summary").click();
  await expect(tool.getByRole("group", { name: "Result of Bash" })).toContainText("1 failed");
  const height = await tool.evaluate((element) => element.getBoundingClientRect().height);
  expect(height).toBeLessThan(900);
  await runner.tool("t1", "done", "Bash", "npm test\nnpm run build", "all passed");
  await expect(tool.getByRole("group", { name: "Result of Bash" })).toHaveText("all passed");
  await runner.tool("t2", "running", "Read", "x");
  await runner.tell({ state: "stopped" });
  await expect(said(page, "t2")).toContainText("unfinished");
});

test("a question is answered where it was asked", async ({ page, hub }) => {
  const runner = await Runner.begin(hub);
  await follow(page, hub, runner);
  const ask = await runner.ask({ questions: [database] });
  const it = said(page, `ask/${ask.id}`).locator("[data-ask]");
  await option(it, "SQLite").check();
  await submit(it).click();
  expect(await answersOf(hub, ask)).toEqual([answer(["SQLite"])]);
  await expect(it).toContainText("Stored.");
  await hub.receipt(ask.id, { level: "seen", text: "SQLite" });
  await expect(it).toContainText("Seen: Claude has read it.");
  // The agent names the ask; the words are the hub's.
  await runner.tell({}, { key: "a", kind: "answer", text: "Yes, delete everything", ask: ask.id });
  await expect(said(page, `answer/${ask.id}`)).toContainText("You, here answered");
  await expect(said(page, `answer/${ask.id}`)).toContainText("✔ Database: SQLite");
  await expect(page.locator("main")).not.toContainText("delete everything");
});

test("several questions are one card, and several asks are several", async ({ page, hub }) => {
  const runner = await Runner.begin(hub);
  await follow(page, hub, runner);
  const many = await runner.ask({ questions: [database, features, auth] });
  const one = await runner.ask({ questions: [auth] });
  const it = card(page, many);
  await option(it, "MongoDB").check();
  await option(it, "TypeScript").check();
  await ownWords(it, "Auth Method").fill("a passkey");
  await option(card(page, one), "JWT").check();
  await submit(it).click();
  expect(await answersOf(hub, many)).toEqual([answer(["MongoDB"]), answer(["TypeScript"]), answer([], { words: "a passkey" })]);
  await page.mouse.move(1, 1);
  await submit(card(page, one)).click();
  expect(await answersOf(hub, one)).toEqual([answer(["JWT"])]);
});

test("an approval and a plan are decided where they were asked", async ({ page, hub }) => {
  const runner = await Runner.begin(hub);
  await follow(page, hub, runner);
  const call = await runner.ask({ approval: { tool: "Bash", input: { command: "rm -rf build" } } });
  await card(page, call).getByRole("button", { name: "Allow", exact: true }).click();
  await expect(card(page, call)).toContainText("Allowed");
  const plan = await runner.ask({ approval: { tool: "ExitPlanMode", input: {}, plan: "# Plan\n\n1. Read" } });
  await page.mouse.move(1, 1);
  await card(page, plan).getByRole("button", { name: "Deny" }).or(card(page, plan).getByRole("button", { name: /Keep planning|Deny/ })).first().click();
  await expect(card(page, plan)).toContainText("Denied");
});

test("an ask that nobody has put into the conversation stands at its end", async ({ page, hub }) => {
  const runner = await Runner.begin(hub);
  await follow(page, hub, runner);
  const ask = await hub.ask({ questions: [database], asker: { session: runner.name } });
  await expect(card(page, ask)).toBeVisible();
  await runner.tell({}, { key: "late", kind: "ask", ask: ask.id });
  await expect(said(page, "late").locator("[data-ask]")).toBeVisible();
  await expect(page.locator("[data-ask]")).toHaveCount(1);
});

test("what is ticked on one page is ticked on the other, in the conversation and among all that waits", async ({ page, hub }) => {
  const runner = await Runner.begin(hub);
  const ask = await runner.ask({ questions: [database] });
  await enter(page, hub);
  await ownWords(card(page, ask), "Database").fill("DuckDB");
  await page.goto(`${hub.url}/#/sessions/${runner.id}`);
  await expect(ownWords(card(page, ask), "Database")).toHaveValue("DuckDB");
});

test("asks that ended before the page was opened are folded, and unfold to how they ended", async ({ page, hub }) => {
  const runner = await Runner.begin(hub);
  const ask = await runner.ask({ questions: [database] });
  await hub.answer(ask.id, { answers: [answer(["SQLite"])] });
  await follow(page, hub, runner);
  const it = card(page, ask);
  await expect(it).toContainText("answered, you through the API");
  await hub.receipt(ask.id, { level: "seen", text: "SQLite" });
  await it.getByRole("button", { name: /^Unfold/ }).click();
  await expect(it).toContainText("Seen: Claude has read it.");
  // They are no part of what waits, or has ended, there.
  await page.getByRole("link", { name: "Waiting" }).click();
  await expect(page.getByText("No agent waits for you.")).toBeVisible();
});

test("the page stays at the end, unless somebody has scrolled up; then it says that there is more", async ({ page, hub }) => {
  const runner = await Runner.begin(hub);
  for (let i = 0; i < 30; i++) await runner.say(`a${i}`, `Paragraph ${i}.\n\n- one\n- two`);
  await follow(page, hub, runner);
  await expect(said(page, "a29")).toBeInViewport();
  await expect.poll(() => atEnd(page)).toBe(true);
  await runner.say("b1", "More.\n\nAnd more.");
  await expect(said(page, "b1")).toBeInViewport();
  await expect.poll(() => atEnd(page)).toBe(true);
  await page.mouse.move(600, 300);
  await page.mouse.wheel(0, -600);
  await expect.poll(() => atEnd(page)).toBe(false);
  // The wheel turns on for a moment.
  const still = async () => page.evaluate(async () => {
    const before = scrollY;
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    return scrollY === before ? scrollY : null;
  });
  await expect.poll(still).not.toBeNull();
  const place = await page.evaluate(() => scrollY);
  await runner.say("b2", "Even more.");
  await runner.stream("b3", "", "And still");
  await expect(speaking(page)).toBeAttached();
  expect(await page.evaluate(() => scrollY)).toBe(place);
  await page.getByRole("button", { name: "New messages" }).click();
  await expect.poll(() => atEnd(page)).toBe(true);
  await expect(page.getByRole("button", { name: "New messages" })).toHaveCount(0);
  await runner.say("b3", "And still more.");
  await expect(said(page, "b3")).toBeInViewport();
});

test("while a card waits, nothing that is said moves it away", async ({ page, hub }) => {
  await page.setViewportSize({ width: 375, height: 667 });
  const runner = await Runner.begin(hub);
  for (let i = 0; i < 10; i++) await runner.say(`a${i}`, "A paragraph.\n\n- one\n- two");
  await follow(page, hub, runner);
  const ask = await runner.ask({ questions: [database, features] });
  await expect(card(page, ask)).toBeInViewport();
  await expect(card(page, ask).getByRole("heading")).toBeInViewport();
  const top = () => card(page, ask).evaluate((element) => Math.round(element.getBoundingClientRect().top));
  const before = await top();
  for (let i = 0; i < 10; i++) await runner.tool(`t${i}`, "done", "Read", "x", "y");
  await expect(said(page, "t9")).toBeAttached();
  expect(await top()).toBe(before);
});

test("only the last messages are fetched, and earlier ones on demand, without a jump", async ({ page, hub }) => {
  const runner = await Runner.begin(hub);
  for (let from = 0; from < 250; from += 125) {
    await runner.tell({}, ...Array.from({ length: 125 }, (_, i) => ({ key: `a${from + i + 1}`, kind: "assistant" as const, text: `Paragraph ${from + i + 1}` })));
  }
  await follow(page, hub, runner);
  await expect(page.locator("[data-message]")).toHaveCount(100);
  await page.evaluate(() => scrollTo(0, 0));
  const place = () => said(page, "a152").evaluate((element) => Math.round(element.getBoundingClientRect().top));
  const before = await place();
  await page.getByRole("button", { name: "Show earlier messages" }).click();
  await expect(page.locator("[data-message]")).toHaveCount(200);
  await expect.poll(async () => Math.abs((await place()) - before)).toBeLessThan(3);
  await page.getByRole("button", { name: "Show earlier messages" }).click();
  await expect(page.locator("[data-message]")).toHaveCount(250);
  await expect(page.getByRole("button", { name: "Show earlier messages" })).toHaveCount(0);
});

test("a hub that is killed under the page comes back with all of it", async ({ page, hub, watch }) => {
  watch.allowCuts();
  const runner = await Runner.begin(hub);
  await runner.say("a1", "Before.");
  await follow(page, hub, runner);
  await runner.tool("t1", "running", "Bash", "sleep 1");
  await runner.stream("a2", "", "In the mid");
  await expect(speaking(page)).toBeVisible();
  await hub.kill();
  await isOffline(page);
  await expect(page.getByText("working when last heard")).toBeVisible();
  await hub.launch();
  // The agent goes on while the page is away; what it was saying is whole in the end.
  await runner.tool("t1", "done", "Bash", "sleep 1", "");
  await runner.say("a2", "In the middle of it.");
  await isLive(page);
  await expect(said(page, "t1")).toContainText("done");
  await expect(said(page, "a2")).toContainText("In the middle of it.");
  await expect(speaking(page)).toHaveCount(0);
  await runner.stream("a3", "", "And on.");
  await expect(speaking(page)).toContainText("And on.");
});

test("a line that was away for a while has missed nothing", async ({ page, hub, watch }) => {
  watch.allowCuts();
  const runner = await Runner.begin(hub);
  await follow(page, hub, runner);
  await page.context().setOffline(true);
  await isOffline(page);
  for (let i = 1; i <= 5; i++) await runner.say(`a${i}`, `Said ${i}`);
  await runner.stream("a6", "", "Being said");
  await page.context().setOffline(false);
  await isLive(page);
  await expect(page.locator("[data-message=assistant]")).toHaveCount(5);
  await expect(speaking(page)).toContainText("Being said");
});
