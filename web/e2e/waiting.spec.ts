/** What waits: it appears by itself, is counted, found, told of, and goes when it has ended. */

import { answer, card, draftIsKept, enter, expect, isLive, option, ownWords, submit, test } from "./fixtures.ts";
import { auth, database, features } from "./questions.ts";

test("a new ask appears without a reload, with who asks, where, since when, and what it said before", async ({ page, hub }) => {
  await enter(page, hub);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Nothing waits");
  const ask = await hub.ask({
    questions: [database],
    asker: { directory: "/home/ann/shop", host: "laptop", title: "checkout", branch: "feature/pay", preamble: "I looked at the **schema**." },
  });
  const it = card(page, ask);
  await expect(it.getByRole("heading", { level: 2 })).toHaveText("Claude is asking");
  for (const text of ["shop", "laptop", "checkout", "feature/pay"]) await expect(it.getByText(text, { exact: true })).toBeVisible();
  await expect(it.getByText(/^waiting \d+ s$/)).toBeVisible();
  await expect(it.getByRole("group", { name: "What Claude said before" }).locator("strong")).toHaveText("schema");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("1 ask waits");
  // A screen reader is told.
  await expect(page.locator("[aria-live=polite]", { hasText: "Claude is asking, in shop" })).toBeAttached();
  const before = await it.getByText(/^waiting/).textContent();
  await expect(it.getByText(/^waiting/)).not.toHaveText(before ?? "");
});

test("other agents are called by their own names", async ({ page, hub }) => {
  await hub.ask({ questions: [database], asker: { agent: "codex" } });
  await hub.ask({ questions: [database], asker: { agent: "my-robot" } });
  await enter(page, hub);
  await expect(page.getByRole("heading", { level: 2 })).toHaveText(["Codex is asking", "my-robot is asking"]);
});

test("the tab says how many wait, and no more when they are answered", async ({ page, hub }) => {
  await enter(page, hub);
  const icon = page.locator('link[rel="icon"]');
  await expect(page).toHaveTitle("Handraise");
  await expect(icon).toHaveAttribute("href", "/favicon.svg");
  const asks = [await hub.ask({ questions: [database] }), await hub.ask({ questions: [auth] })];
  await expect(page).toHaveTitle("(2) Handraise");
  await expect(icon).toHaveAttribute("href", /^data:image\/svg\+xml,.*%3E2%3C%2Ftext/);
  for (const ask of asks) await hub.answer(ask.id, { answers: [answer([ask.questions![0]!.options![1]!.label])] });
  await expect(page).toHaveTitle("Handraise");
  await expect(icon).toHaveAttribute("href", "/favicon.svg");
});

test("from six on, asks can be filtered by project, agent, question and chip", async ({ page, hub }) => {
  const filter = page.getByRole("searchbox", { name: "Filter" });
  for (let i = 0; i < 5; i++) await hub.ask({ questions: [{ ...database, question: `Number ${i}?` }], asker: { directory: `/src/project-${i}` } });
  await enter(page, hub);
  await expect(page.getByRole("article")).toHaveCount(5);
  await expect(filter).toHaveCount(0);
  await hub.ask({ questions: [auth], asker: { agent: "codex", directory: "/src/bank" } });
  const shows = async (sought: string, count: number) => {
    await filter.fill(sought);
    await expect(page.getByRole("article")).toHaveCount(count);
  };
  await shows("project-3", 1);
  await shows("NUMBER", 5);
  await shows("codex", 1);
  await shows("auth method", 1);
  await shows("nothing like it", 0);
  await expect(page.getByText("Nothing here holds “nothing like it”.")).toBeVisible();
  await shows("", 6);
});

test("of fifty asks the first are unfolded, and the later ones folded", async ({ page, hub }) => {
  for (let i = 0; i < 50; i++) await hub.ask({ questions: [{ ...database, question: `Number ${i}?` }], asker: { session: `s-${i}` } });
  await enter(page, hub);
  await expect(page.getByRole("article")).toHaveCount(50);
  await expect(page).toHaveTitle("(50) Handraise");
  const folded = await page.getByRole("button", { name: /^(Unf|F)old: Number/ }).evaluateAll((all) => all.map((one) => one.getAttribute("aria-expanded") === "false"));
  const unfolded = folded.indexOf(true);
  expect(unfolded).toBeGreaterThanOrEqual(1);
  expect(unfolded).toBeLessThanOrEqual(5);
  expect(folded.slice(unfolded)).toEqual(Array(50 - unfolded).fill(true));
  const last = page.getByRole("article").last();
  await expect(last).toContainText("Number 49?");
  await last.getByRole("button", { name: "Unfold" }).click();
  await option(last, "SQLite").check();
  await submit(last).click();
  await expect(page).toHaveTitle("(49) Handraise");
});

test("when somebody else answers, the card says who and what, and keeps what was typed", async ({ page, hub }) => {
  const ask = await hub.ask({ questions: [features] });
  await enter(page, hub);
  const it = card(page, ask);
  await ownWords(it, "Features").fill("my own idea");
  await draftIsKept(it);
  await hub.answer(ask.id, { answers: [answer(["TypeScript", "Tailwind CSS"])] });
  await expect(it.getByRole("definition")).toHaveText("TypeScript, Tailwind CSS");
  await expect(it).toContainText("Answered by you through the API");
  const kept = it.getByRole("group", { name: "Your words, kept" });
  await expect(kept).toContainText("my own idea");
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await kept.getByRole("button", { name: "Copy" }).click();
  await expect(kept.getByRole("button", { name: "Copied" })).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe("my own idea");
  await page.getByRole("button", { name: "Clear 1 ended" }).click();
  await expect(it).toHaveCount(0);
  await expect(page.getByText("No agent waits for you.")).toBeVisible();
});

test("what the hub answers is in the page's own words when it is refused", async ({ page, hub, watch }) => {
  watch.allow(/422/);
  const ask = await hub.ask({ questions: [database] });
  await enter(page, hub);
  const it = card(page, ask);
  await ownWords(it, "Database").fill("x".repeat(20_001));
  await submit(it).click();
  await expect(it.getByRole("alert")).toContainText("20,001 characters");
  await isLive(page);
  await ownWords(it, "Database").fill("short");
  await expect(it.getByRole("alert")).toHaveCount(0);
  await submit(it).click();
  await expect(it).toHaveAttribute("data-state", "resolved");
});
