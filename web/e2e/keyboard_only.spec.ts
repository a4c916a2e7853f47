/** A whole answer without a pointer, and without knowing any of the dashboard's own keys. */

import { answer, answersOf, card, enter, expect, option, submit, test } from "./fixtures.ts";
import { database, features } from "./questions.ts";

test("one of many is chosen and sent with Tab, arrows and Enter alone", async ({ page, hub }) => {
  const ask = await hub.ask({ questions: [database] });
  await enter(page, hub);
  const it = card(page, ask);
  await it.getByRole("button", { name: "Fold" }).focus();
  await page.keyboard.press("Tab");
  await expect(option(it, "PostgreSQL")).toBeFocused();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await expect(option(it, "SQLite")).toBeChecked();
  await expect(async () => {
    await page.keyboard.press("Tab");
    await expect(submit(it)).toBeFocused({ timeout: 1 });
  }).toPass();
  await page.keyboard.press("Enter");
  expect(await answersOf(hub, ask)).toEqual([answer(["SQLite"])]);
});

test("several are ticked and sent with Tab and Space alone", async ({ page, hub }) => {
  const ask = await hub.ask({ questions: [features] });
  await enter(page, hub);
  const it = card(page, ask);
  await it.getByRole("button", { name: "Fold" }).focus();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Space");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Space");
  await expect(option(it, "Testing (Vitest)")).toBeChecked();
  await page.keyboard.press("Control+Enter");
  expect(await answersOf(hub, ask)).toEqual([answer(["TypeScript", "Testing (Vitest)"])]);
});
