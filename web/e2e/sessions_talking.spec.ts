/** What a person says to an agent: kept, queued, delivered, and never doubled. */

import type { Page } from "@playwright/test";

import { answer, card, enter, expect, isLive, isOffline, option, pressAnyway, submit, test } from "./fixtures.ts";
import type { Hub } from "./hub.ts";
import { database } from "./questions.ts";
import { Runner } from "./runner.ts";

const field = (page: Page) => page.getByRole("textbox", { name: "Your words to Claude" });
const send = (page: Page) => page.getByRole("button", { name: "Send", exact: true });
const words = (page: Page) => page.locator("[data-message=user]");

async function follow(page: Page, hub: Hub, runner: Runner): Promise<void> {
  await enter(page, hub);
  await page.goto(`${hub.url}/#/sessions/${runner.id}`);
  await expect(field(page)).toBeVisible();
}

/** What the hub has of it. */
const texts = async (runner: Runner) => (await runner.words()).map(({ text }) => text);

test("Enter sends, Shift+Enter makes a line; queued until the agent has it, and then without a label", async ({ page, hub }) => {
  const runner = await Runner.begin(hub);
  await follow(page, hub, runner);
  await field(page).pressSequentially("First line");
  await field(page).press("Shift+Enter");
  await field(page).pressSequentially("second line");
  await field(page).press("Enter");
  await expect(words(page)).toContainText("First line\nsecond line");
  await expect(words(page)).toContainText("You, here");
  await expect(words(page)).toContainText("Queued: Claude gets it when it can take it.");
  await expect(field(page)).toHaveValue("");
  const [message] = await runner.words();
  expect(message?.text).toBe("First line\nsecond line");
  await runner.deliver(message!);
  await expect(words(page)).not.toContainText("Queued");
  await expect(words(page).locator("[data-said=delivered]")).toBeVisible();
});

test("nothing is not sent", async ({ page, hub }) => {
  const runner = await Runner.begin(hub);
  await follow(page, hub, runner);
  await pressAnyway(send(page));
  await field(page).fill(" \n ");
  await field(page).press("Enter");
  await field(page).fill("Something");
  await send(page).click();
  await expect(words(page)).toHaveCount(1);
  expect(await texts(runner)).toEqual(["Something"]);
});

test.describe("by touch", () => {
  test.use({ hasTouch: true, isMobile: true, viewport: { width: 375, height: 667 } });

  test("Enter makes a line, and the button sends", async ({ page, hub }) => {
    const runner = await Runner.begin(hub);
    await follow(page, hub, runner);
    await field(page).pressSequentially("One");
    await field(page).press("Enter");
    await field(page).pressSequentially("two");
    await expect(field(page)).toHaveValue("One\ntwo");
    await send(page).tap();
    await expect(words(page)).toContainText("One\ntwo");
    await expect(words(page)).toBeInViewport();
  });
});

test("while the agent waits for an answer, words wait for it, too, and the page says so", async ({ page, hub }) => {
  const runner = await Runner.begin(hub);
  await follow(page, hub, runner);
  await expect(field(page)).toHaveAccessibleDescription("What you write is queued until Claude can take it.");
  const ask = await runner.ask({ questions: [database] });
  await expect(field(page)).toHaveAccessibleDescription("What you write is queued: Claude gets it after your answer.");
  await field(page).fill("And mind the tests");
  await field(page).press("Enter");
  await expect(words(page)).toContainText("Queued: Claude gets it after your answer.");
  await expect(words(page)).toBeInViewport();
  await option(card(page, ask), "SQLite").check();
  await submit(card(page, ask)).click();
  await expect(words(page)).toContainText("Queued: Claude gets it when it can take it.");
  await runner.deliver((await runner.words())[0]!);
  await expect(words(page)).not.toContainText("Queued");
});

test("a reload keeps what was typed, for each session its own", async ({ page, hub }) => {
  const runner = await Runner.begin(hub);
  const other = await Runner.begin(hub, { title: "Other" });
  await follow(page, hub, runner);
  await field(page).fill("half a thought");
  await page.reload();
  await expect(field(page)).toHaveValue("half a thought");
  await page.goto(`${hub.url}/#/sessions/${other.id}`);
  await expect(page.getByRole("heading", { name: "Other" })).toBeVisible();
  await expect(field(page)).toHaveValue("");
  await page.goto(`${hub.url}/#/sessions/${runner.id}`);
  await expect(field(page)).toHaveValue("half a thought");
});

test("offline nothing is sent and nothing is lost", async ({ page, hub, watch }) => {
  watch.allowCuts();
  const runner = await Runner.begin(hub);
  await follow(page, hub, runner);
  await page.context().setOffline(true);
  await isOffline(page);
  await field(page).fill("written on the plane");
  await field(page).press("Enter");
  await pressAnyway(send(page));
  await expect(field(page)).toHaveAccessibleDescription("Not while the hub cannot be reached. It is kept.");
  await expect(field(page)).toHaveValue("written on the plane");
  await page.context().setOffline(false);
  await isLive(page);
  await field(page).press("Enter");
  await expect(words(page)).toContainText("written on the plane");
  expect(await texts(runner)).toEqual(["written on the plane"]);
});

test("an answer of the hub's that gets lost does not double the words, not even over a reload", async ({ page, hub, watch }) => {
  watch.allowCuts();
  const runner = await Runner.begin(hub);
  await follow(page, hub, runner);
  let cut = true;
  await page.route(/\/sessions\/[^/]+\/messages$/, async (route) => {
    if (!cut || route.request().method() !== "POST") return route.continue();
    await route.fetch();
    await route.abort();
  });
  await field(page).fill("once");
  await field(page).press("Enter");
  await expect(page.getByRole("alert")).toContainText("Nothing is lost");
  await expect(field(page)).toHaveValue("once");
  await page.reload();
  await expect(field(page)).toHaveValue("once");
  await isLive(page);
  cut = false;
  await field(page).press("Enter");
  await expect(field(page)).toHaveValue("");
  await expect(words(page)).toHaveCount(1);
  expect(await texts(runner)).toEqual(["once"]);
  await field(page).fill("once");
  await field(page).press("Enter");
  await expect(words(page)).toHaveCount(2);
  expect(await texts(runner)).toEqual(["once", "once"]);
});

test("a hub that is killed while somebody types takes the words when it is back", async ({ page, hub, watch }) => {
  watch.allowCuts();
  const runner = await Runner.begin(hub);
  await follow(page, hub, runner);
  await field(page).fill("still here");
  await hub.kill();
  await isOffline(page);
  await hub.launch();
  await isLive(page);
  await expect(field(page)).toHaveValue("still here");
  await field(page).press("Enter");
  await expect(words(page)).toContainText("still here");
  expect(await texts(runner)).toEqual(["still here"]);
});

test("two pages see each other's words; what the other has typed stays its own", async ({ page, hub, another }) => {
  const runner = await Runner.begin(hub);
  await follow(page, hub, runner);
  const second = await another();
  await follow(second, hub, runner);
  await second.bringToFront();
  await field(second).fill("not yet");
  await field(page).fill("from the first");
  await field(page).press("Enter");
  await expect(words(second)).toContainText("from the first");
  await expect(words(second)).toContainText("You in the dashboard");
  await expect(field(second)).toHaveValue("not yet");
  const ask = await runner.ask({ questions: [database] });
  for (const one of [page, second]) await expect(card(one, ask)).toBeVisible();
  await hub.answer(ask.id, { answers: [answer(["SQLite"])] });
  for (const one of [page, second]) await expect(card(one, ask)).toContainText("Answered by you through the API");
});

test("another tab shows what is typed in this one, and forgets it when it is sent", async ({ page, hub, context }) => {
  const runner = await Runner.begin(hub);
  await follow(page, hub, runner);
  const tab = await context.newPage();
  await tab.goto(page.url());
  await expect(field(tab)).toBeVisible();
  await field(page).fill("one draft");
  await expect(field(tab)).toHaveValue("one draft");
  await field(page).press("Enter");
  await expect(field(tab)).toHaveValue("");
  expect(await texts(runner)).toEqual(["one draft"]);
});

test("an interrupt reaches the hub without a question, and is seen to have", async ({ page, hub }) => {
  const runner = await Runner.begin(hub);
  await follow(page, hub, runner);
  await page.getByRole("button", { name: "Interrupt" }).click();
  await expect(page.getByText("Claude was told to stop.")).toBeVisible();
  expect((await runner.session()).interrupts).toBe(1);
  await expect(page.getByRole("button", { name: "Interrupt again" })).toBeVisible();
  await runner.tell({ state: "idle" }, { key: "n", kind: "note", text: "The agent was interrupted." });
  await expect(page.getByText("The agent was interrupted.")).toBeVisible();
  await expect(page.getByRole("button", { name: /^Interrupt/ })).toHaveCount(0);
  await runner.tell({ state: "working" });
  await page.getByRole("button", { name: "Interrupt", exact: true }).click();
  await expect.poll(async () => (await runner.session()).interrupts).toBe(2);
});

test("an interrupt that does not reach the hub says so", async ({ page, hub, watch }) => {
  watch.allowCuts();
  const runner = await Runner.begin(hub);
  await follow(page, hub, runner);
  await page.route(/\/interrupt$/, (route) => route.abort());
  await page.getByRole("button", { name: "Interrupt" }).click();
  await expect(page.getByRole("alert")).toContainText("The hub cannot be reached.");
  await expect(page.getByRole("button", { name: "Interrupt", exact: true })).toBeVisible();
});

test("ending a session takes two presses; then it ends, and its words are kept", async ({ page, hub }) => {
  const runner = await Runner.begin(hub);
  await follow(page, hub, runner);
  await field(page).fill("unsent");
  await page.getByRole("button", { name: "End…" }).click();
  await expect(page.getByRole("button", { name: "End for good" })).toBeFocused();
  await page.getByRole("button", { name: "Go on" }).click();
  await expect(page.getByRole("button", { name: "End…" })).toBeFocused();
  expect((await runner.session()).ending).toBe(false);
  await page.keyboard.press("Enter");
  await page.keyboard.press("Enter");
  await expect.poll(async () => (await runner.session()).ending).toBe(true);
  await expect(page.getByRole("region", { name: "To Claude" })).toContainText("ending");
  await expect(page.getByRole("button", { name: "End…" })).toHaveCount(0);
  await field(page).focus();
  await runner.tell({ state: "ended", trouble: "ended by a person" });
  await expect(page.getByText("This session is over.")).toBeVisible();
  await expect(page.getByText("ended by a person")).toBeVisible();
  await expect(field(page)).toHaveCount(0);
  await expect(page.getByLabel("You had typed this.")).toHaveValue("unsent");
});

test("words to a session that ended meanwhile are refused with a reason, and stay", async ({ page, hub, watch }) => {
  watch.allow(/409/);
  const runner = await Runner.begin(hub);
  await follow(page, hub, runner);
  // The page does not hear of the end before it sends.
  await page.route(/\/sessions\/[^/]+\/messages$/, async (route) => {
    if (route.request().method() === "POST") await runner.tell({ state: "ended" });
    await route.continue();
  });
  await field(page).fill("too late");
  await field(page).press("Enter");
  await expect(page.getByRole("alert")).toContainText(/session/i);
  await expect(page.getByLabel("You had typed this.")).toHaveValue("too late");
});

test("a question that gets its place in the conversation keeps the focus", async ({ page, hub }) => {
  const runner = await Runner.begin(hub);
  await follow(page, hub, runner);
  const ask = await hub.ask({ questions: [database], asker: { session: runner.name } });
  const chosen = option(card(page, ask), "SQLite");
  await chosen.check();
  await chosen.focus();
  await runner.tell({}, { key: "a", kind: "assistant", text: "I have to ask." });
  // Twice, as a hostile agent might.
  for (const key of ["b", "c"]) await runner.tell({}, { key, kind: "ask", ask: ask.id });
  await expect(page.locator("[data-message=ask]")).toHaveCount(2);
  await expect(page.locator(`[data-key="b"] [data-ask="${ask.id}"]`)).toBeVisible();
  await expect(option(page.locator('[data-key="b"]'), "SQLite")).toBeFocused();
});

test("by keyboard alone: from the list into a session, words, an answer, and back", async ({ page, hub }) => {
  const runner = await Runner.begin(hub);
  await enter(page, hub);
  await page.getByRole("link", { name: "Sessions" }).focus();
  await page.keyboard.press("Enter");
  await page.locator(`[data-session="${runner.id}"]`).focus();
  await page.keyboard.press("Enter");
  await field(page).focus();
  await page.keyboard.type("Hello there");
  await page.keyboard.press("Enter");
  await expect(words(page)).toContainText("Hello there");
  const ask = await runner.ask({ questions: [database] });
  await expect(card(page, ask)).toBeVisible();
  // A question that arrives takes no focus, and letters stay letters.
  await page.keyboard.type("j1x");
  await expect(field(page)).toHaveValue("j1x");
  await page.keyboard.press("Escape");
  await page.keyboard.press("j");
  await expect(card(page, ask)).toBeFocused();
  await page.keyboard.press("3");
  await expect(option(card(page, ask), "SQLite")).toBeChecked();
  await page.keyboard.press("Control+Enter");
  await expect(card(page, ask)).toContainText("Stored.");
  await expect(field(page)).toHaveValue("j1x");
});
