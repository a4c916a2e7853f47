/** Answers that nobody gave: told on every page, until somebody has seen them. */

import type { Page } from "@playwright/test";

import { answer, card, enter, expect, isLive, ownWords, test } from "./fixtures.ts";
import type { Hub } from "./hub.ts";
import { auth, database } from "./questions.ts";

const WHY = "The answer came 0.2 s after the question.";
const alarms = (page: Page) => page.locator("[data-alarm]");

/** An agent that asks, and goes on with what nobody said. */
async function goesOn(hub: Hub, more: { question?: string; text?: string; why?: string } = {}): Promise<string> {
  const question = { ...auth, question: more.question ?? auth.question };
  const ask = await hub.ask({ questions: [question], asker: { directory: "/src/bank", session: "s-9", title: "Let people pay" } });
  const took = { kind: "answered", answers: [answer(["JWT"])] };
  const text = more.text ?? 'User has answered your questions: "Which authentication method should we use?"="JWT".';
  await hub.receipt(ask.id, { level: "seen", text, took, doubt: { kind: "too_fast", why: more.why ?? WHY } });
  return ask.id;
}

test("an answer nobody gave is told at once, on every page, and in the title", async ({ page, hub }) => {
  await enter(page, hub);
  const id = await goesOn(hub);
  const alarm = page.getByRole("alert");
  await expect(alarm).toContainText("The agent went on with an answer nobody gave");
  for (const words of ["bank", "Let people pay", auth.question, WHY, '"Which authentication method should we use?"="JWT"']) {
    await expect(alarm).toContainText(words);
  }
  await expect(page).toHaveTitle("(1) Handraise");
  for (const name of ["Sessions", "Devices"]) {
    await page.getByRole("link", { name, exact: true }).click();
    await expect(page.getByRole("heading", { name, exact: true })).toBeVisible();
    await expect(alarm).toBeVisible();
  }
  await expect(page.getByRole("navigation").getByRole("link", { name: "History" })).toContainText("1");
  await alarm.getByRole("link", { name: "See it in History" }).click();
  const past = page.locator(`[data-past="${id}"]`);
  await expect(past.locator("summary")).toContainText("nobody gave this answer");
  await expect(past.locator("[data-doubt]")).toContainText(`Nobody gave this answer: ${WHY}`);
  await expect(past).toContainText("Answered by nobody");
  await alarm.getByRole("button", { name: "Dismiss" }).click();
  await expect(alarms(page)).toHaveCount(0);
  await expect(page).toHaveTitle("Handraise");
});

test("an alarm outlives a reload until it is dismissed, and then stays away, in every tab", async ({ page, hub, context }) => {
  const id = await goesOn(hub);
  const sound = await hub.ask({ questions: [database] });
  await hub.receipt(sound.id, { level: "seen", took: { kind: "answered", answers: [answer(["SQLite"])] } });
  await enter(page, hub);
  await expect(page.locator(`[data-alarm="${id}"]`)).toBeVisible();
  const tab = await context.newPage();
  await tab.goto(`${hub.url}/#/devices`);
  await expect(alarms(tab)).toHaveCount(1);
  await page.getByRole("button", { name: "Dismiss" }).click();
  for (const each of [page, tab]) await expect(alarms(each)).toHaveCount(0);
  await page.reload();
  await isLive(page);
  await expect(page.getByText("Nothing waits")).toBeVisible();
  await expect(alarms(page)).toHaveCount(0);
});

test("what was missed while the line was cut is told when it is back", async ({ page, hub, watch }) => {
  watch.allowCuts();
  await enter(page, hub);
  await page.context().setOffline(true);
  await goesOn(hub);
  await hub.kill();
  await expect(page.locator("[data-line=offline]")).toBeVisible();
  await hub.launch();
  await page.context().setOffline(false);
  await expect(alarms(page)).toHaveCount(1);
});

test("many alarms leave room for the page, and can be dismissed together", async ({ page, hub }) => {
  for (let i = 0; i < 5; i++) await goesOn(hub, { question: `Number ${i}?` });
  await enter(page, hub);
  await expect(alarms(page)).toHaveCount(3);
  await expect(alarms(page).first()).toContainText("Number 4?");
  await expect(page.getByRole("link", { name: "2 more" })).toBeVisible();
  await expect(page).toHaveTitle("(5) Handraise");
  await page.getByRole("button", { name: "Dismiss all" }).click();
  await expect(alarms(page)).toHaveCount(0);
  await page.reload();
  await isLive(page);
  await expect(page.getByText("Nothing waits")).toBeVisible();
  await expect(alarms(page)).toHaveCount(0);
});

test("a double click dismisses one alarm, not the next", async ({ page, hub }) => {
  for (let i = 0; i < 2; i++) await goesOn(hub, { question: `Number ${i}?` });
  await enter(page, hub);
  await expect(alarms(page)).toHaveCount(2);
  await alarms(page).first().getByRole("button", { name: "Dismiss" }).dblclick();
  await expect(alarms(page)).toHaveCount(1);
  await expect(alarms(page)).toContainText("Number 0?");
});

for (const scrolled of [false, true]) {
  test(`whoever types keeps focus, words and place${scrolled ? ", further down as well" : ""}`, async ({ page, hub }) => {
    const asks = [];
    for (let i = 0; i < 3; i++) asks.push(await hub.ask({ questions: [{ ...database, question: `Number ${i}?` }], asker: { session: `s-${i}` } }));
    await enter(page, hub);
    const words = ownWords(card(page, asks[scrolled ? 2 : 0]!), "Database");
    await words.pressSequentially("half a thou");
    const before = await words.boundingBox();
    await goesOn(hub);
    await expect(alarms(page)).toHaveCount(1);
    await expect(words).toBeFocused();
    await expect.poll(async () => Math.abs((await words.boundingBox())!.y - before!.y)).toBeLessThan(2);
    // Nothing lies over it.
    const hit = await words.evaluate((field) => {
      const box = field.getBoundingClientRect();
      return document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2) === field;
    });
    expect(hit).toBe(true);
    await page.keyboard.type("ght");
    await expect(words).toHaveValue("half a thought");
  });
}

test("what the agent says in an alarm stays text", async ({ page, hub }) => {
  await enter(page, hub);
  await goesOn(hub, { question: "<img src=x onerror=alert(1)>\u202e?", text: "<script>alert(1)</script>\u001b[2J", why: "<b>bold</b>" });
  const alarm = page.getByRole("alert");
  await expect(alarm).toContainText("<img src=x onerror=alert(1)><U+202E>?");
  await expect(alarm).toContainText("<script>alert(1)</script>␛[2J");
  await expect(alarm).toContainText("<b>bold</b>");
  await expect(alarm.locator("img, script, b b")).toHaveCount(0);
});

test("without words of the agent, what it took is what it believes", async ({ page, hub }) => {
  const ask = await hub.ask({ questions: [auth] });
  const took = { kind: "answered", answers: [answer(["JWT"])] };
  await hub.receipt(ask.id, { level: "handed", took, doubt: { kind: "from_nowhere", why: WHY } });
  await enter(page, hub);
  await expect(page.getByRole("alert").getByRole("definition")).toHaveText("JWT");
});

test("History finds those that nobody gave, and a link leads to one that is long past", async ({ page, hub }) => {
  const id = await goesOn(hub);
  for (let i = 0; i < 55; i++) {
    const ask = await hub.ask({ questions: [database] });
    await hub.answer(ask.id, { answers: [answer(["SQLite"])] });
  }
  await enter(page, hub);
  await page.getByRole("link", { name: "History", exact: false }).first().click();
  const rows = page.getByRole("list", { name: "Past asks" }).locator("summary");
  await expect(rows).toHaveCount(50);
  await page.getByRole("combobox", { name: "End" }).selectOption("Nobody gave it");
  await expect(rows).toHaveCount(1);
  await expect(rows).toContainText(auth.question);
  await page.getByRole("combobox", { name: "End" }).selectOption("Any");
  await page.getByRole("link", { name: "See it in History" }).click();
  await expect(page.locator(`[data-past="${id}"]`)).toHaveAttribute("open", "");
  await expect(rows.first()).toContainText(auth.question);
  await page.getByRole("button", { name: "Show more" }).click();
  await expect(rows).toHaveCount(56);
});
