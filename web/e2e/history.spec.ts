/** Past asks: found by what was said, by whom and where, with all there is to know. */

import type { Page } from "@playwright/test";

import { answer, enter, expect, isLive, isOffline, test } from "./fixtures.ts";
import type { Hub } from "./hub.ts";
import { auth, database, features } from "./questions.ts";

const found = (page: Page) => page.getByRole("list", { name: "Past asks" }).locator("summary");

async function past(hub: Hub): Promise<void> {
  const first = await hub.ask({ questions: [database], asker: { directory: "/src/shop", preamble: "Looking at the **schema**.", branch: "main", title: "checkout" } });
  await hub.answer(first.id, { answers: [answer([], { words: "DuckDB, embedded", notes: "ask me again" })] });
  await hub.receipt(first.id, { level: "seen", text: 'The person answered: "DuckDB, embedded"' });
  const second = await hub.ask({ questions: [auth], asker: { agent: "codex", directory: "/src/bank", session: "s-2" } });
  await hub.call("person", "POST", `asks/${second.id}/decline`, { reason: "not now" });
  const third = await hub.ask({ questions: [features], asker: { directory: "/src/shop", session: "s-3" } });
  await hub.withdraw(third.id);
}

async function open(page: Page, hub: Hub): Promise<void> {
  await enter(page, hub);
  await page.getByRole("link", { name: "History" }).click();
}

test("past asks are found by text, project, agent, person and end", async ({ page, hub }) => {
  await past(hub);
  await open(page, hub);
  await expect(found(page)).toHaveCount(3);
  const seek = async (name: string, value: string, questions: string[]) => {
    const field = page.getByRole("searchbox", { name }).or(page.getByRole("combobox", { name, exact: true }));
    await field.fill(value);
    await expect(found(page).locator(".gist")).toHaveText(questions);
    await field.fill("");
    await expect(found(page)).toHaveCount(3);
  };
  await seek("Text", "duckdb", [database.question]);
  await seek("Text", "authentication", [auth.question]);
  await seek("Text", "nothing like it", []);
  await seek("Project", "bank", [auth.question]);
  await seek("Agent", "codex", [auth.question]);
  await seek("Person", "ann", [auth.question, database.question]);
  await seek("Person", "bob", []);
  await page.getByRole("combobox", { name: "End" }).selectOption("Declined");
  await expect(found(page).locator(".gist")).toHaveText([auth.question]);
  await page.getByRole("combobox", { name: "End" }).selectOption("Withdrawn");
  await expect(found(page).locator(".gist")).toHaveText([features.question]);
  await page.getByRole("searchbox", { name: "Text" }).fill("duckdb");
  await expect(page.getByText("Nothing like that was asked.")).toBeVisible();
});

test("a past ask tells who answered what, from where, after how long, and what the model read", async ({ page, hub }) => {
  await past(hub);
  await open(page, hub);
  const one = page.getByRole("list", { name: "Past asks" }).locator("details", { hasText: database.question });
  await one.locator("summary").click();
  await expect(one).toContainText("/src/shop · main · laptop · checkout");
  await expect(one.locator("blockquote strong")).toHaveText("schema");
  await expect(one.getByRole("definition")).toHaveText(/“DuckDB, embedded”\s*Note: ask me again/);
  await expect(one).toContainText("Answered by you through the API");
  await expect(one).toContainText(/after \d+ s/);
  await expect(one).toContainText("Seen: Claude has read it.");
  await expect(one.getByRole("group", { name: "What the agent got" })).toHaveText('The person answered: "DuckDB, embedded"');
  for (const { label } of database.options!) await expect(one).toContainText(label);
});

test("what has just ended is there at once, and what did not arrive is marked", async ({ page, hub }) => {
  const ask = await hub.ask({ questions: [database] });
  await open(page, hub);
  await expect(page.getByText("Nothing has ended yet.")).toBeVisible();
  await hub.answer(ask.id, { answers: [answer(["SQLite"])] });
  await expect(found(page)).toHaveCount(1);
  await expect(found(page)).toContainText("answered");
  await hub.withdraw(ask.id);
  await expect(found(page)).toContainText("undelivered");
});

test("more than one page of them can be reached", async ({ page, hub }) => {
  for (let i = 0; i < 55; i++) {
    const ask = await hub.ask({ questions: [{ ...database, question: `Number ${i}?` }] });
    await hub.withdraw(ask.id);
  }
  await open(page, hub);
  await expect(found(page)).toHaveCount(50);
  await expect(found(page).first()).toContainText("Number 54?");
  await page.getByRole("button", { name: "Show more" }).click();
  await expect(found(page)).toHaveCount(55);
  await expect(found(page).last()).toContainText("Number 0?");
  await expect(page.getByRole("button", { name: "Show more" })).toHaveCount(0);
  const all = await found(page).locator(".gist").allTextContents();
  expect(new Set(all).size).toBe(55);
});

test("what was loaded stays: behind a link to one of them, and when the line is back", async ({ page, hub, watch }) => {
  watch.allowCuts();
  const ids: string[] = [];
  for (let i = 0; i < 55; i++) {
    const ask = await hub.ask({ questions: [{ ...database, question: `Number ${i}?` }] });
    await hub.withdraw(ask.id);
    ids.push(ask.id);
  }
  await page.clock.install();
  await open(page, hub);
  await expect(found(page)).toHaveCount(50);
  await page.clock.pauseAt(Date.now() + 60_000);
  await page.evaluate((id) => (location.hash = `#/history/${id}`), ids[0]);
  await page.getByRole("button", { name: "Show more" }).click();
  await expect(found(page)).toHaveCount(55);
  await expect(found(page).first()).toContainText("Number 0?");
  const settled = async () => {
    await page.clock.runFor(1_000);
    await expect(page.getByRole("status").filter({ hasText: "found" })).toHaveText("55 found");
    await expect(found(page)).toHaveCount(55);
  };
  await settled();
  await page.clock.resume();
  await page.context().setOffline(true);
  await isOffline(page);
  await page.context().setOffline(false);
  await isLive(page);
  await page.clock.pauseAt(Date.now() + 120_000);
  await settled();
});

test("only the last search counts, however late an earlier one answers", async ({ page, hub }) => {
  await past(hub);
  await open(page, hub);
  await expect(found(page)).toHaveCount(3);
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route(/history\?.*text=duckdb/, async (route) => {
    await held;
    await route.continue();
  });
  const slow = page.waitForRequest(/text=duckdb/);
  await page.getByRole("searchbox", { name: "Text" }).fill("duckdb");
  await slow;
  await page.getByRole("searchbox", { name: "Text" }).fill("authentication");
  await expect(found(page).locator(".gist")).toHaveText([auth.question]);
  const answered = page.waitForResponse(/text=duckdb/);
  release();
  await (await answered).finished();
  await expect(found(page).locator(".gist")).toHaveText([auth.question]);
});
