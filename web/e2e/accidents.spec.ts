/** A click lands only on what was under the pointer when the person meant it. */

import { card, enter, expect, test } from "./fixtures.ts";

/** Later than now, whatever it takes to say so, and sooner than the page takes its line for lost. */
const SOON = 10_000;
const call = (command: string) => ({ approval: { tool: "Bash", input: { command } } });

test("a double click allows one thing, though another comes under the pointer", async ({ page, hub }) => {
  await page.clock.install();
  const first = await hub.ask(call("make"));
  const second = await hub.ask(call("rm -rf build"));
  await enter(page, hub);
  const allow = (ask: { id: string }) => card(page, ask).getByRole("button", { name: "Allow", exact: true });
  const press = async () => {
    await page.mouse.down();
    await page.mouse.up();
  };
  const before = (await allow(first).boundingBox())!;
  const [x, y] = [before.x + before.width / 2, before.y + before.height / 2];
  // From here on time stands still: whatever follows, follows at once.
  await page.clock.pauseAt(Date.now() + SOON);
  await page.mouse.move(x, y);
  await press();
  await expect(card(page, first)).toHaveAttribute("data-state", /resolved|delivered/);
  // The page comes to where the pointer is, as it does when a card above shrinks by just so much.
  const after = (await allow(second).boundingBox())!;
  await page.evaluate((by) => (document.body.style.marginTop = `${by}px`), y - after.y - after.height / 2);
  await press();
  await expect(card(page, second).getByText("The page has just moved.")).toBeVisible();
  expect((await hub.get(second.id)).state).toBe("open");
  // What is still there a moment later is meant.
  await page.clock.runFor(1_000);
  const again = (await allow(second).boundingBox())!;
  await page.evaluate((by) => (document.body.style.translate = `0 ${by}px`), y - again.y - again.height / 2);
  await press();
  await expect(card(page, second)).toHaveAttribute("data-state", /resolved|delivered/);
});

test("who moves the pointer means the click, however soon", async ({ page, hub }) => {
  await page.clock.install();
  const asks = [await hub.ask(call("make")), await hub.ask(call("make install"))];
  await enter(page, hub);
  await page.clock.pauseAt(Date.now() + SOON);
  for (const ask of asks) {
    await page.clock.runFor(1);
    await card(page, ask).getByRole("button", { name: "Allow", exact: true }).click();
    await expect(card(page, ask)).toHaveAttribute("data-state", /resolved|delivered/);
  }
});
