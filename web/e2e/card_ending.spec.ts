/** What a card says when its ask has ended, and what became of the answer at the agent. */

import { answer, answersOf, card, draftIsKept, enter, expect, option, ownWords, submit, test } from "./fixtures.ts";
import { database } from "./questions.ts";

test("a submitted card shows what was chosen and by whom, and then that the agent has read it", async ({ page, hub }) => {
  const ask = await hub.ask({ questions: [database] });
  await enter(page, hub);
  const it = card(page, ask);
  await option(it, "PostgreSQL").check();
  await submit(it).click();
  await expect(it).toHaveAttribute("data-state", "resolved");
  await expect(it.getByRole("definition")).toHaveText("PostgreSQL");
  await expect(it).toContainText("Answered by you, here");
  await expect(it).toContainText("Stored. Claude has not confirmed it yet.");
  await expect(submit(it)).toHaveCount(0);

  await hub.receipt(ask.id, { level: "seen", text: "User has answered your questions: PostgreSQL" });
  await expect(it).toContainText("Seen: Claude has read it.");
});

test("own words that were sent are shown as sent, and are not offered as left behind", async ({ page, hub }) => {
  const ask = await hub.ask({ questions: [database] });
  await enter(page, hub);
  const it = card(page, ask);
  await ownWords(it, "Database").fill("DuckDB");
  await draftIsKept(it);
  await submit(it).click();
  await expect(it.getByRole("definition")).toHaveText("“DuckDB”");
  await expect(it).toContainText("Stored.");
  await expect(it.getByText("It was not sent")).toHaveCount(0);
});

test("what was handed over but not seen is not called seen", async ({ page, hub }) => {
  const ask = await hub.ask({ questions: [database], policy: { receipt: "handed" } });
  await enter(page, hub);
  const it = card(page, ask);
  await option(it, "SQLite").check();
  await submit(it).click();
  await expect(it).toContainText("Stored.");
  await hub.receipt(ask.id, { level: "handed", text: "SQLite" });
  await expect(it).toContainText("Handed over to Claude.");
  await expect(it).not.toContainText("Seen");
});

test("an agent that took another answer is reported in plain words, with what it took", async ({ page, hub }) => {
  const ask = await hub.ask({ questions: [database] });
  await enter(page, hub);
  const it = card(page, ask);
  await option(it, "SQLite").check();
  await submit(it).click();
  await expect(it).toHaveAttribute("data-state", "resolved");
  await it.getByRole("button", { name: "Fold" }).click();
  const took = { kind: "answered", answers: [answer(["MongoDB"])] };
  await hub.receipt(ask.id, { level: "seen", took });
  // Bad news unfolds the card again.
  await expect(it).toContainText("Overruled: Claude took another answer than this one, and went on with that.");
  await expect(it).toContainText("What it took instead:");
  await expect(it.getByRole("definition")).toHaveText(["SQLite", "MongoDB"]);
});

test("an answer the agent never got is reported in plain words", async ({ page, hub }) => {
  const ask = await hub.ask({ questions: [database] });
  await enter(page, hub);
  const it = card(page, ask);
  await option(it, "SQLite").check();
  await submit(it).click();
  await expect(it).toHaveAttribute("data-state", "resolved");
  await hub.withdraw(ask.id);
  await expect(it).toContainText("Undelivered: this never reached Claude.");
  await expect(it).toContainText("The agent was gone before it got the answer.");
  await expect(it.getByRole("definition")).toHaveText("SQLite");
});

test("an agent that leaves takes its question along, and the words stay", async ({ page, hub }) => {
  const ask = await hub.ask({ questions: [database] });
  await enter(page, hub);
  const it = card(page, ask);
  await ownWords(it, "Database").fill("half a thought");
  await hub.withdraw(ask.id);
  await expect(it).toContainText("Claude does not wait for it any more.");
  await expect(it.getByRole("group", { name: "Your words, kept" })).toContainText("half a thought");
});

test("folding a card dismisses nothing and loses no words", async ({ page, hub }) => {
  const ask = await hub.ask({ questions: [database] });
  await enter(page, hub);
  const it = card(page, ask);
  await ownWords(it, "Database").fill("half a thought");
  await it.getByRole("button", { name: "Fold" }).click();
  await expect(ownWords(it, "Database")).toHaveCount(0);
  await expect(it).toContainText(database.question);
  expect((await hub.get(ask.id)).state).toBe("open");
  await it.getByRole("button", { name: "Unfold" }).click();
  await expect(ownWords(it, "Database")).toHaveValue("half a thought");
  await submit(it).click();
  expect(await answersOf(hub, ask)).toEqual([answer([], { words: "half a thought" })]);
});

test("a deadline is counted down, and can be moved", async ({ page, hub }) => {
  const ask = await hub.ask({ questions: [database], policy: { deadlineSeconds: 600 } });
  await enter(page, hub);
  const it = card(page, ask);
  const timer = it.getByRole("timer");
  await expect(timer).toContainText(/In (10:00|9:\d\d) the agent is told that nobody answered\./);
  const before = await timer.textContent();
  await expect(timer).not.toHaveText(before ?? "");
  await it.getByRole("button", { name: "5 minutes more" }).click();
  await expect(timer).toContainText(/In 1[45]:\d\d/);
  const moved = Date.parse((await hub.get(ask.id)).deadlineAt ?? "") - Date.parse(ask.deadlineAt ?? "");
  expect(moved).toBe(300_000);
});

test("when the time is up, the card says that nobody answered, and no option was sent", async ({ page, hub }) => {
  const ask = await hub.ask({ questions: [database], policy: { deadlineSeconds: 5 } });
  await enter(page, hub);
  const it = card(page, ask);
  await expect(it).toContainText("Nobody answered within 5 s. No option was sent.");
  await expect(it).not.toContainText("by nobody");
});
