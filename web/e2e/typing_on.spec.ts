/** Words typed on after their field has gone are not taken for keys: they would land in another ask. */

import { answer, card, enter, expect, option, ownWords, test } from "./fixtures.ts";
import { auth, database } from "./questions.ts";

test("who types on when somebody else has answered chooses and opens nothing elsewhere", async ({ page, hub, watch }) => {
  const first = await hub.ask({ questions: [database] });
  const second = await hub.ask({ questions: [auth], asker: { session: "s-2" } });
  await page.clock.install();
  await enter(page, hub);
  await ownWords(card(page, first), "Database").focus();
  await page.keyboard.type("the other pro");
  // From here on time stands still, as it does for somebody who types fast.
  // Sooner than the page takes its line for lost.
  await page.clock.pauseAt(Date.now() + 10_000);
  await hub.answer(first.id, { answers: [answer(["SQLite"])] });
  await expect(card(page, first)).toHaveAttribute("data-state", "resolved");
  await page.keyboard.type("jo1x2d");
  await page.keyboard.press("Control+Enter");
  await expect(card(page, second).getByRole("radio", { checked: true })).toHaveCount(0);
  await expect(ownWords(card(page, second), "Auth Method")).toHaveValue("");
  await expect(card(page, second).getByRole("textbox")).toHaveCount(1);
  expect(watch.said).toEqual([]);
  await expect(card(page, first).getByRole("group", { name: "Your words, kept" })).toContainText("the other pro");

  // After a pause keys are keys again.
  await page.clock.fastForward(2_000);
  await page.keyboard.press("j");
  await expect(card(page, second)).toBeFocused();
  await page.keyboard.press("2");
  await expect(option(card(page, second), "JWT")).toBeChecked();
});
