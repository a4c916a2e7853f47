/** One browser, two tabs at one session. */

import { enter, expect, isLive, test } from "./fixtures.ts";
import { Runner } from "./runner.ts";

test("two tabs that write different things keep each its own over a reload, and send each its own", async ({ page, hub, context }) => {
  const runner = await Runner.begin(hub);
  await enter(page, hub);
  await page.goto(`${hub.url}/#/sessions/${runner.id}`);
  const tab = await context.newPage();
  await tab.goto(page.url());
  const [one, two] = [page, tab].map((each) => each.getByRole("textbox", { name: "Your words to Claude" })) as [ReturnType<typeof page.locator>, ReturnType<typeof page.locator>];
  await expect(two).toBeVisible();
  await one.fill("mine");
  await expect(two).toHaveValue("mine");
  await two.fill("something else");
  await expect(one).toHaveValue("mine");
  await page.reload();
  await tab.reload();
  await expect(one).toHaveValue("mine");
  await expect(two).toHaveValue("something else");
  for (const each of [page, tab]) await isLive(each);
  await one.press("Enter");
  await expect(tab.locator("[data-message=user]")).toContainText("mine");
  await expect(two).toHaveValue("something else");
  await two.press("Enter");
  await expect(page.locator("[data-message=user]")).toHaveCount(2);
  expect((await runner.words()).map(({ text }) => text)).toEqual(["mine", "something else"]);
});
