/** Asks that only the agent's own dialog takes an answer to: all to see, nothing to send. */

import { answer, card, enter, expect, test } from "./fixtures.ts";
import { database, features } from "./questions.ts";

const policy = { answerIn: "dialog" };

test("the card shows all of it, says where to answer, and offers nothing that would be refused", async ({ page, hub, watch }) => {
  const ask = await hub.ask({ questions: [database, features], policy, asker: { directory: "/src/bank", host: "build-7" } });
  await enter(page, hub);
  await expect(page).toHaveTitle("(1) Handraise");
  await expect(page.getByText("1 ask waits")).toBeVisible();
  const it = card(page, ask);
  await expect(it).toContainText("Answer this one in its own terminal: /src/bank on build-7");
  for (const { question, options } of [database, features]) {
    await expect(it).toContainText(question);
    for (const { label } of options!) await expect(it).toContainText(label);
  }
  await expect(it.getByRole("button", { name: /Submit|Skip|Decline|Discuss/ })).toHaveCount(0);
  await expect(it.locator("input, textarea")).toHaveCount(0);
  await page.keyboard.press("j");
  await expect(it).toBeFocused();
  for (const key of ["1", "o", "n", "l", "x", "d", "Control+Enter", "Enter"]) await page.keyboard.press(key);
  await expect(it).toBeFocused();
  expect(watch.said).toEqual([]);
  expect((await hub.get(ask.id)).state).toBe("open");
  await hub.receipt(ask.id, { level: "seen", took: { kind: "answered", answers: [answer(["SQLite"]), answer(["TypeScript"])] } });
  await expect(it).toHaveAttribute("data-state", "delivered");
  await expect(it).toContainText("the agent’s word, in its own dialog");
});

test("so does an approval", async ({ page, hub }) => {
  const ask = await hub.ask({ approval: { tool: "Bash", input: { command: "rm -r build" } }, policy });
  await enter(page, hub);
  const it = card(page, ask);
  await expect(it).toContainText("rm -r build");
  await expect(it).toContainText("Answer this one in its own terminal");
  await expect(it.getByRole("button", { name: /Allow|Deny|Edit|Discuss/ })).toHaveCount(0);
});
