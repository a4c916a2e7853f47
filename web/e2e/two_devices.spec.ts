/** Of two devices, and of two tabs, neither destroys what was typed at the other. */

import { answersOf, answer, card, draftIsKept, enter, expect, isLive, option, ownWords, submit, test } from "./fixtures.ts";
import { database, features } from "./questions.ts";

const bash = { approval: { tool: "Bash", input: { command: "make" } } };

test("the device with fewer keys does not lose its words to the one with more", async ({ page, another, hub, watch }) => {
  watch.allowCuts();
  watch.allow(/409/);
  const ask = await hub.ask({ questions: [database] });
  await enter(page, hub);
  const phone = await another();
  await enter(phone, hub);
  await card(phone, ask).waitFor();
  await phone.context().setOffline(true);
  await ownWords(card(page, ask), "Database").pressSequentially("desk");
  await draftIsKept(card(page, ask));
  await ownWords(card(phone, ask), "Database").pressSequentially("a longer text from the phone");
  await phone.context().setOffline(false);
  await isLive(phone);
  await expect(card(phone, ask)).toContainText("You have typed something else here, too: desk");
  await expect(ownWords(card(phone, ask), "Database")).toHaveValue("a longer text from the phone");
  // The desk follows, and is offered what it had.
  await expect(ownWords(card(page, ask), "Database")).toHaveValue("a longer text from the phone");
  await expect(card(page, ask)).toContainText("too: desk");
  await page.reload();
  await isLive(page);
  await card(page, ask).getByRole("button", { name: "Use that" }).click();
  await expect(ownWords(card(page, ask), "Database")).toHaveValue("desk");
});

test("an edited input is offered as words are", async ({ page, another, hub, watch }) => {
  watch.allowCuts();
  watch.allow(/409/);
  const ask = await hub.ask(bash);
  await enter(page, hub);
  const phone = await another();
  await enter(phone, hub);
  await card(phone, ask).waitFor();
  await phone.context().setOffline(true);
  await card(page, ask).getByRole("button", { name: "Edit before allowing" }).click();
  await card(page, ask).getByLabel("The input as it will be used").fill('{"command":"make -n"}');
  await draftIsKept(card(page, ask));
  await card(phone, ask).getByLabel("A word to Claude").pressSequentially("careful");
  await phone.context().setOffline(false);
  await isLive(phone);
  await expect(card(phone, ask)).toContainText("make -n");
  await expect(card(phone, ask).getByLabel("A word to Claude")).toHaveValue("careful");
});

test("what is not ticked here is not ticked there", async ({ page, another, hub }) => {
  const ask = await hub.ask({ questions: [features] });
  await enter(page, hub);
  await option(card(page, ask), "TypeScript").check();
  await ownWords(card(page, ask), "Features").fill("and delete the old ones");
  await card(page, ask).getByRole("checkbox", { name: "Other" }).uncheck();
  await draftIsKept(card(page, ask));
  const phone = await another();
  await enter(phone, hub);
  await expect(ownWords(card(phone, ask), "Features")).toHaveValue("and delete the old ones");
  await expect(card(phone, ask).getByRole("checkbox", { name: "Other" })).not.toBeChecked();
  await submit(card(phone, ask)).click();
  expect(await answersOf(hub, ask)).toEqual([answer(["TypeScript"])]);
});

test("two tabs that are offline keep the words of both", async ({ page, context, hub, watch }) => {
  watch.allowCuts();
  watch.allow(/409/);
  const ask = await hub.ask({ questions: [database] });
  await enter(page, hub);
  const tab = await context.newPage();
  await tab.goto(hub.url);
  await isLive(tab);
  await card(tab, ask).waitFor();
  await context.setOffline(true);
  await ownWords(card(page, ask), "Database").pressSequentially("first tab");
  await ownWords(card(tab, ask), "Database").pressSequentially(" and second");
  await page.close();
  await tab.close();
  await context.setOffline(false);
  const later = await context.newPage();
  await later.goto(hub.url);
  await isLive(later);
  const it = card(later, ask);
  const all = `${await ownWords(it, "Database").inputValue()} ${await it.innerText()}`;
  expect(all).toContain("first tab");
  expect(all).toContain("second");
});
