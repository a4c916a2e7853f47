/** Every page and state, as axe-core sees it: light and dark, wide and narrow. */

import { readFileSync } from "node:fs";

import type { Page } from "@playwright/test";
import type { AxeResults } from "axe-core";

import { answer, card, enter, expect, fits, isLive, isOffline, option, ownWords, pressAnyway, submit, test } from "./fixtures.ts";
import type { Hub } from "./hub.ts";
import { auth, database, features, layout } from "./questions.ts";
import { Runner } from "./runner.ts";

const AXE = readFileSync(new URL("../node_modules/axe-core/axe.min.js", import.meta.url), "utf8");

/** Nothing axe-core finds wrong, in any colours and at any width. */
async function isAccessible(page: Page): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    for (const [width, height] of [[320, 568], [1200, 800], [375, 667]] as const) {
      await page.setViewportSize({ width, height });
      await fits(page);
      if (width === 320) continue;
      if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(AXE);
      const { violations } = await page.evaluate(() => (window as unknown as { axe: { run: (options: object) => Promise<AxeResults> } }).axe.run({ iframes: false, resultTypes: ["violations"] }));
      const found = violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 200)} ${node.any[0]?.message ?? ""}`));
      expect(found, `${colorScheme}, ${width} wide`).toEqual([]);
    }
  }
}

/** Nothing a finger would miss: 24 by 24, as WCAG 2.2 asks for. */
async function isTouchable(page: Page): Promise<void> {
  for (const width of [375, 320]) {
    await page.setViewportSize({ width, height: 667 });
    const small = await page.evaluate(() =>
      [...document.querySelectorAll<HTMLElement>("button, a, label, textarea, select, summary, input:not(label input)")]
        .filter((one) => one.offsetParent !== null && !one.closest(".markdown"))
        .map((one) => ({ what: one.outerHTML.slice(0, 120), ...one.getBoundingClientRect().toJSON() as DOMRect }))
        .filter(({ width, height }) => width < 24 || height < 24)
        .map(({ what, width, height }) => `${width}×${height}: ${what}`),
    );
    expect(small, "too small for a finger").toEqual([]);
  }
}

test("the login page", async ({ page, hub, watch }) => {
  watch.allow(/401/);
  await page.goto(hub.url);
  await expect(page.getByRole("button", { name: "Log in" })).toBeVisible();
  await isAccessible(page);
  await isTouchable(page);
  await page.goto(`${hub.url}/#login=${"0".repeat(64)}`);
  await expect(page.getByRole("alert")).toBeVisible();
  await isAccessible(page);
});

test("the login page of a browser that was revoked", async ({ page, hub, watch }) => {
  watch.allow(/401/);
  await enter(page, hub);
  await hub.call("person", "DELETE", `devices/${(await hub.devices()).find((device) => device.name.includes("Chrome"))?.id}`);
  await expect(page.getByText("not logged in any more")).toBeVisible();
  await isAccessible(page);
});

test("nothing waits, and the keys", async ({ page, hub }) => {
  await enter(page, hub);
  await expect(page.getByText("No agent waits for you.")).toBeVisible();
  await isAccessible(page);
  await isTouchable(page);
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog")).toBeVisible();
  await isAccessible(page);
});

const preamble = "I looked at the **schema**. See [docs](https://example.com/x) and `code`:\n\n- one\n- two\n\n| a | b |\n|---|---|\n| c | d |";

for (const [name, questions] of Object.entries({ "a single choice": [database], "several choices": [features], "four questions with previews": [database, features, auth, layout] })) {
  test(`${name}, untouched and filled in`, async ({ page, hub }) => {
    const ask = await hub.ask({ questions, asker: { preamble, title: "auth", branch: "main" }, policy: { deadlineSeconds: 3000 } });
    await enter(page, hub);
    const it = card(page, ask);
    await expect(submit(it)).toBeVisible();
    await isAccessible(page);
    await isTouchable(page);
    await option(it, questions[0]!.options![1]!.label).check();
    await ownWords(it, questions[0]!.header!).fill("and words");
    await it.getByRole("button", { name: "Add a note" }).first().click();
    await it.getByRole("button", { name: "Decline…" }).click();
    await expect(it.getByText("Draft kept.")).toBeVisible();
    await isAccessible(page);
    await isTouchable(page);
    await submit(it).scrollIntoViewIfNeeded();
    await expect(submit(it)).toBeInViewport();
  });
}

const approvals = {
  "an approval": { tool: "Bash", input: { command: "rm -rf build\nmake", nested: { a: [1, 2] } }, description: "Clean the build", suggestions: [{ type: "addRules", rules: ["Bash(make)"] }] },
  "a plan": { tool: "ExitPlanMode", input: { plan: "# Plan" }, plan: "# Plan\n\n1. Read\n2. Write\n\n```rust\nfn main() {}\n```\n\n> quote" },
};
for (const [name, approval] of Object.entries(approvals)) {
  test(`${name}, as asked and while it is edited`, async ({ page, hub }) => {
    const ask = await hub.ask({ approval });
    await enter(page, hub);
    const it = card(page, ask);
    await expect(it.getByRole("button", { name: /^(Allow|Approve the plan)$/ })).toBeVisible();
    await isAccessible(page);
    await isTouchable(page);
    if (name === "a plan") return;
    await it.getByRole("button", { name: "Edit before allowing" }).click();
    await it.getByRole("textbox", { name: "The input as it will be used" }).fill("{ broken");
    await expect(it.getByRole("alert")).toBeVisible();
    await isAccessible(page);
  });
}

test("alarms, their place in History, and an ask for another terminal", async ({ page, hub }) => {
  await hub.ask({ questions: [features], policy: { answerIn: "dialog" }, asker: { directory: `/src/${"long".repeat(40)}` } });
  const took = { kind: "answered", answers: [answer(["JWT"])] };
  for (const text of ["a word ".repeat(200), "x".repeat(400), null, "two\nlines"]) {
    const ask = await hub.ask({ questions: [auth], asker: { title: "y".repeat(150) } });
    await hub.receipt(ask.id, { level: "seen", text, took, doubt: { kind: "empty", why: "z".repeat(500) } });
  }
  await enter(page, hub);
  await expect(page.getByRole("alert")).toHaveCount(3);
  await expect(page.getByText("Answer this one in its own terminal")).toBeVisible();
  await isAccessible(page);
  await isTouchable(page);
  await page.getByRole("link", { name: "See it in History" }).first().click();
  await expect(page.locator("[data-doubt]")).toBeVisible();
  await isAccessible(page);
});

test("several cards at once, each with everything it can have", async ({ page, hub }) => {
  const asks = [];
  for (const questions of [[layout], [layout]]) asks.push(await hub.ask({ questions, asker: { preamble } }));
  for (let i = 0; i < 2; i++) await hub.ask({ approval: approvals["an approval"] });
  await enter(page, hub);
  await expect(page.getByRole("article")).toHaveCount(4);
  for (const fold of await page.getByRole("button", { name: /^Unfold/ }).all()) await fold.click();
  for (const ask of asks) {
    await option(card(page, ask), "Sidebar").check();
    await card(page, ask).getByRole("button", { name: "Decline…" }).click();
  }
  await isAccessible(page);
});

/** Four asks, each ended in another way. */
async function endings(hub: Hub): Promise<void> {
  const asks = [];
  for (let i = 0; i < 4; i++) asks.push(await hub.ask({ questions: [database], asker: { session: `s-${i}`, preamble } }));
  for (const ask of asks) await hub.answer(ask.id, { answers: [answer(["SQLite"], { notes: "a note" })] });
  await hub.receipt(asks[1]!.id, { level: "seen", text: "SQLite" });
  await hub.receipt(asks[2]!.id, { level: "seen", took: { kind: "answered", answers: [answer(["MongoDB"])] } });
  await hub.withdraw(asks[3]!.id);
}

test("cards that have ended: stored, seen, overruled, undelivered, and with words left behind", async ({ page, hub }) => {
  await enter(page, hub);
  const ask = await hub.ask({ questions: [database] });
  await ownWords(card(page, ask), "Database").fill("left behind");
  await hub.withdraw(ask.id);
  await expect(page.getByRole("group", { name: "Your words, kept" })).toBeVisible();
  await endings(hub);
  await expect(page.locator("[data-state=overruled], [data-state=undelivered]")).toHaveCount(2);
  await isAccessible(page);
  await isTouchable(page);
});

test("History with a past ask opened", async ({ page, hub }) => {
  await endings(hub);
  await enter(page, hub);
  await page.getByRole("link", { name: "History" }).click();
  await expect(page.locator("summary")).toHaveCount(4);
  for (const one of await page.locator("summary").all()) await one.click();
  await expect(page.getByRole("figure")).toBeVisible();
  await expect(page.getByText("What the model read:").first()).toBeVisible();
  await isAccessible(page);
  await isTouchable(page);
});

test("devices with a link and its picture", async ({ page, hub }) => {
  await enter(page, hub);
  await page.getByRole("link", { name: "Devices" }).click();
  await page.getByRole("button", { name: "New link" }).click();
  await expect(page.getByRole("img", { name: "The link as a QR code" })).toBeVisible();
  await page.getByRole("button", { name: "Revoke Chrome on Linux" }).click();
  await isAccessible(page);
  await isTouchable(page);
});

test("sessions: none, some, and where one may be started", async ({ page, hub }) => {
  await page.route(/\/api\/v1\/sessions\?/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), startIn: ["/home/ann"] } });
  });
  await enter(page, hub);
  await page.getByRole("link", { name: "Sessions" }).click();
  await expect(page.getByText("No session goes on.")).toBeVisible();
  await page.getByRole("button", { name: "Start a session…" }).click();
  await expect(page.getByLabel("First words")).toBeVisible();
  await isAccessible(page);
  for (const state of ["starting", "working", "idle", "stopped", "deferred", "ended"] as const) {
    const runner = await Runner.begin(hub, { title: state });
    if (state === "deferred" || state === "working") await runner.ask({ questions: [database] });
    await runner.tell({ state, ...(state === "ended" ? { trouble: "exit code 1" } : {}) });
  }
  await expect(page.getByText("2 waiting").or(page.getByText("1 waiting")).first()).toBeVisible();
  await expect(page.getByRole("list", { name: "Sessions that are over" })).toBeVisible();
  await isAccessible(page);
  await isTouchable(page);
});

test("a conversation with everything that can be said in one", async ({ page, hub, watch }) => {
  watch.allowCuts();
  const runner = await Runner.begin(hub);
  await runner.hear("Please\nhurry. ".repeat(400));
  await runner.say("a1", preamble);
  await runner.tool("t1", "done", "Bash", "make", "line\n".repeat(200));
  await runner.tool("t2", "failed", "Bash", "make", "no");
  await runner.note("n1", "It was interrupted.");
  await runner.note("n2", "Trouble. ".repeat(300), "failed");
  await enter(page, hub);
  await page.goto(`${hub.url}/#/sessions/${runner.id}`);
  for (const one of await page.locator("summary").all()) await one.click();
  await runner.tool("t3", "running", "Read", "x");
  await runner.stream("a2", "", "And now");
  await expect(page.locator("[data-message=speaking]")).toBeVisible();
  await isAccessible(page);
  await isTouchable(page);
  const ask = await runner.ask({ questions: [layout] });
  await option(card(page, ask), "Sidebar").check();
  await page.getByRole("textbox", { name: "Your words to Claude" }).fill("Words");
  await page.getByRole("button", { name: "Send" }).click();
  await expect(page.locator("[data-said=queued]").last()).toBeVisible();
  await page.getByRole("button", { name: "Interrupt" }).click();
  await page.getByRole("button", { name: "End…" }).click();
  // The page has to notice that somebody reads further up, before there is more to read.
  await page.evaluate(() => new Promise<void>((done) => {
    addEventListener("scroll", () => done(), { once: true });
    scrollTo(0, 0);
  }));
  await runner.say("a3", "More");
  await expect(page.getByRole("button", { name: "New messages" })).toBeVisible();
  await isAccessible(page);
  await isTouchable(page);
  await page.context().setOffline(true);
  await isOffline(page);
  await isAccessible(page);
  await page.context().setOffline(false);
  await isLive(page);
  await page.getByRole("textbox", { name: "Your words to Claude" }).fill("Unsent");
  await runner.tell({ state: "ended", trouble: "Trouble. ".repeat(300) });
  await expect(page.getByText("This session is over.")).toBeVisible();
  await isAccessible(page);
  await isTouchable(page);
});

test("offline, restarted and outdated", async ({ page, hub, watch }) => {
  watch.allowCuts();
  await hub.pretendsToBe("99.1.0", page);
  const ask = await hub.ask({ questions: [database] });
  await enter(page, hub);
  await option(card(page, ask), "SQLite").check();
  await hub.kill();
  await hub.launch();
  await expect(page.getByText("The hub was restarted.")).toBeVisible();
  await isLive(page);
  await page.context().setOffline(true);
  await isOffline(page);
  await expect(page.getByText("The hub is version 99.1.0 now")).toBeVisible();
  await pressAnyway(submit(card(page, ask)));
  await isAccessible(page);
  await isTouchable(page);
});
