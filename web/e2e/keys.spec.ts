/** Everything can be done with keys, and no key alone does what cannot be undone. */

import type { Page } from "@playwright/test";

import { answer, answersOf, card, ended, enter, expect, option, ownWords, submit, test } from "./fixtures.ts";
import { auth, database, features } from "./questions.ts";

const focused = (page: Page) => page.evaluate(() => document.activeElement?.closest<HTMLElement>("[data-ask]")?.dataset.ask ?? null);

test("j and k go from card to card, and stop at the ends", async ({ page, hub }) => {
  const asks = [await hub.ask({ questions: [database] }), await hub.ask({ questions: [auth] }), await hub.ask({ questions: [features] })];
  await enter(page, hub);
  await expect(page.getByRole("article")).toHaveCount(3);
  const walk = [["j", 0], ["j", 1], ["j", 2], ["j", 2], ["k", 1], ["k", 0], ["k", 0]] as const;
  for (const [key, at] of walk) {
    await page.keyboard.press(key);
    await expect.poll(() => focused(page)).toBe(asks[at]!.id);
  }
});

test("digits choose and tick, o goes to one's own words, n to a note, Esc back to the card", async ({ page, hub }) => {
  const ask = await hub.ask({ questions: [features] });
  await enter(page, hub);
  const it = card(page, ask);
  await expect(it).toBeVisible();
  await page.keyboard.press("j");
  await page.keyboard.press("1");
  await page.keyboard.press("3");
  await expect(option(it, "TypeScript")).toBeChecked();
  await expect(option(it, "Testing (Vitest)")).toBeChecked();
  await page.keyboard.press("1");
  await expect(option(it, "TypeScript")).not.toBeChecked();
  await page.keyboard.press("o");
  await expect(ownWords(it, "Features")).toBeFocused();
  await page.keyboard.type("jkxdfnl/?12 are text here");
  await expect(ownWords(it, "Features")).toHaveValue("jkxdfnl/?12 are text here");
  await page.keyboard.press("Escape");
  await expect(it).toBeFocused();
  await page.keyboard.press("n");
  await expect(it.getByRole("textbox", { name: "Note beside the answer" })).toBeFocused();
  await page.keyboard.type("soon");
  await page.keyboard.press("Control+Enter");
  expect(await answersOf(hub, ask)).toEqual([answer(["Testing (Vitest)"], { words: "jkxdfnl/?12 are text here", notes: "soon" })]);
});

test("l leaves the question open where one is, and only that", async ({ page, hub }) => {
  const ask = await hub.ask({ questions: [database, auth] });
  await enter(page, hub);
  const it = card(page, ask);
  await option(it.getByRole("group", { name: auth.question }), "JWT").focus();
  await page.keyboard.press("l");
  await expect(it.getByRole("button", { name: "Left open" })).toHaveCount(1);
  await expect(it.getByRole("group", { name: auth.question }).getByRole("button", { name: "Left open" })).toBeVisible();
  await page.keyboard.press("l");
  await expect(it.getByRole("button", { name: "Left open" })).toHaveCount(0);
});

test("x asks for a reason, d for words, f folds, and each can be left again", async ({ page, hub }) => {
  const ask = await hub.ask({ questions: [database] });
  await enter(page, hub);
  const it = card(page, ask);
  await expect(it).toBeVisible();
  await page.keyboard.press("j");
  await page.keyboard.press("x");
  await expect(it.getByRole("textbox", { name: "Why not?" })).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(it.getByRole("textbox", { name: "Why not?" })).toHaveCount(0);
  await page.keyboard.press("j");
  await page.keyboard.press("f");
  await expect(it.getByRole("button", { name: "Unfold" })).toBeVisible();
  await page.keyboard.press("f");
  await expect(submit(it)).toBeVisible();
  await page.keyboard.press("d");
  await expect(it.getByRole("textbox", { name: "What do you want to say first?" })).toBeFocused();
  await page.keyboard.type("Why?");
  await page.keyboard.press("Control+Enter");
  expect((await ended(hub, ask)).resolution).toMatchObject({ kind: "discuss", words: "Why?" });
});

test("leaving a panel with Esc leaves the focus in its card", async ({ page, hub }) => {
  const ask = await hub.ask({ questions: [database] });
  await enter(page, hub);
  await expect(card(page, ask)).toBeVisible();
  await page.keyboard.press("j");
  await page.keyboard.press("x");
  await expect(card(page, ask).getByRole("textbox", { name: "Why not?" })).toBeFocused();
  await page.keyboard.press("Escape");
  await expect.poll(() => focused(page)).toBe(ask.id);
});

test("after an answer the focus stays in the card, and goes on from there", async ({ page, hub }) => {
  const asks = [await hub.ask({ questions: [database] }), await hub.ask({ questions: [auth] }), await hub.ask({ questions: [features] })];
  await enter(page, hub);
  await expect(page.getByRole("article")).toHaveCount(3);
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await page.keyboard.press("2");
  await page.keyboard.press("Control+Enter");
  await expect(card(page, asks[1]!)).toHaveAttribute("data-state", "resolved");
  await expect.poll(() => focused(page)).toBe(asks[1]!.id);
  await page.keyboard.press("j");
  await expect.poll(() => focused(page)).toBe(asks[2]!.id);
});

test("? shows the keys in a dialog that holds the focus and gives it back", async ({ page, hub }) => {
  const ask = await hub.ask({ questions: [database] });
  await enter(page, hub);
  const it = card(page, ask);
  await option(it, "SQLite").focus();
  await page.keyboard.press("?");
  const dialog = page.getByRole("dialog", { name: "Keys" });
  await expect(dialog).toBeVisible();
  for (let i = 0; i < 5; i++) {
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => document.activeElement === document.body || !!document.activeElement?.closest("dialog"))).toBe(true);
  }
  await page.keyboard.press("2");
  await page.keyboard.press("j");
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  await expect(option(it, "SQLite")).toBeFocused();
  await expect(option(it, "MongoDB")).not.toBeChecked();
  await page.keyboard.press("?");
  await expect(dialog).toBeVisible();
  // Closed and opened again before the browser has told of the close.
  await dialog.evaluate(async (dialog: HTMLDialogElement) => {
    const closed = new Promise((done) => dialog.addEventListener("close", done, { once: true }));
    dialog.querySelector("button")!.click();
    await Promise.resolve();
    document.activeElement!.dispatchEvent(new KeyboardEvent("keydown", { key: "?", bubbles: true }));
    await closed;
  });
  await expect(dialog).toBeVisible();
});

test("no key alone ends an ask that is ready to be sent", async ({ page, hub, watch }) => {
  const ask = await hub.ask({ questions: [database] });
  await enter(page, hub);
  const it = card(page, ask);
  await option(it, "SQLite").check();
  const printable = Array.from({ length: 94 }, (_, i) => String.fromCharCode(33 + i));
  const undo: Record<string, () => Promise<void>> = {
    "?": () => page.getByRole("button", { name: "Close" }).click(),
    f: () => it.getByRole("button", { name: "Unfold" }).click(),
  };
  for (const key of [...printable, "Space", "Enter", "Escape", "Backspace", "Delete", "Home", "F2"]) {
    // At the card itself, and at the option that is chosen.
    for (const place of ["[data-ask]", "[data-option='3']"]) {
      await page.locator(place).focus();
      await page.keyboard.press(key);
      await undo[key]?.();
    }
  }
  expect(watch.said).toEqual([]);
  expect((await hub.get(ask.id)).state).toBe("open");
});

test("Enter that takes a suggestion of an input method submits nothing", async ({ page, hub, watch }) => {
  const ask = await hub.ask({ questions: [database] });
  await enter(page, hub);
  const words = ownWords(card(page, ask), "Database");
  await words.fill("データ");
  const compose = (isComposing: boolean) =>
    words.evaluate((field, isComposing) => {
      field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", ctrlKey: true, isComposing, bubbles: true, cancelable: true }));
    }, isComposing);
  await compose(true);
  expect(watch.said).toEqual([]);
  await compose(false);
  expect(await answersOf(hub, ask)).toEqual([answer([], { words: "データ" })]);
});

test("a question that arrives takes no focus and moves nothing under it", async ({ page, hub }) => {
  const first = await hub.ask({ questions: [database] });
  await enter(page, hub);
  const words = ownWords(card(page, first), "Database");
  await words.focus();
  await page.keyboard.type("half a ");
  const place = () => words.evaluate((field) => Math.round(field.getBoundingClientRect().top));
  const before = await place();
  const second = await hub.ask({ questions: [auth], asker: { session: "s-2" } });
  await expect(card(page, second)).toBeVisible();
  await expect(words).toBeFocused();
  await page.keyboard.type("thought");
  await expect(words).toHaveValue("half a thought");
  expect(await place()).toBe(before);
});

test("/ goes to the filter", async ({ page, hub }) => {
  for (let i = 0; i < 6; i++) await hub.ask({ questions: [{ ...database, question: `Number ${i}?` }] });
  await enter(page, hub);
  await expect(page.getByRole("article")).toHaveCount(6);
  await page.keyboard.press("/");
  await expect(page.getByRole("searchbox", { name: "Filter" })).toBeFocused();
  await expect(page.getByRole("searchbox", { name: "Filter" })).toHaveValue("");
});
