/** Several questions in one card, what will be sent, and what is said instead of an answer. */

import type { Locator } from "@playwright/test";

import { answer, answersOf, card, ended, enter, expect, option, ownWords, pressAnyway, review, submit, test } from "./fixtures.ts";
import { auth, database, features, layout } from "./questions.ts";

const section = (it: Locator, question: string) => it.getByRole("group", { name: question });

test("four questions are four sections with one Submit, and what the review shows is stored", async ({ page, hub }) => {
  const ask = await hub.ask({ questions: [database, features, auth, layout] });
  await enter(page, hub);
  const it = card(page, ask);
  await expect(it.locator("fieldset")).toHaveCount(4);
  await expect(it.getByText("Question 3 of 4")).toBeVisible();
  await expect(submit(it)).toHaveCount(1);

  await option(section(it, database.question), "PostgreSQL").check();
  await option(section(it, features.question), "TypeScript").check();
  await ownWords(it, "Features").fill("and docs");
  await section(it, auth.question).getByRole("button", { name: "Leave open" }).click();
  await expect(review(it).getByRole("definition")).toHaveText(["PostgreSQL", "TypeScript, “and docs”", "left open on purpose", "not answered yet"]);
  await option(section(it, layout.question), "Sidebar").check();
  await section(it, layout.question).getByRole("button", { name: "Add a note" }).click();
  await it.getByRole("textbox", { name: "Note beside the answer" }).fill("narrow");
  await expect(review(it).getByRole("term")).toHaveText(["Database", "Features", "Auth Method", "Layout"]);
  await expect(review(it).getByRole("definition")).toHaveText(["PostgreSQL", "TypeScript, “and docs”", "left open on purpose", /^Sidebar\s*Note: narrow$/]);

  await submit(it).click();
  expect(await answersOf(hub, ask)).toEqual([
    answer(["PostgreSQL (Recommended)"]),
    answer(["TypeScript"], { words: "and docs" }),
    answer([], { leftOpen: true }),
    answer(["Sidebar"], { notes: "narrow" }),
  ]);
});

test("Submit does nothing, and says why, until each question is answered or left open", async ({ page, hub, watch }) => {
  const ask = await hub.ask({ questions: [database, auth] });
  await enter(page, hub);
  const it = card(page, ask);
  await expect(submit(it)).toHaveAttribute("aria-disabled", "true");
  await expect(submit(it)).toHaveAccessibleDescription("0 of 2 answered. Answer the rest, or leave it open.");
  await option(it, "MongoDB").check();
  await expect(submit(it)).toHaveAccessibleDescription("1 of 2 answered. Answer the rest, or leave it open.");
  await pressAnyway(submit(it));
  await submit(it).press("Enter");
  expect(watch.said).toEqual([]);
  await section(it, auth.question).getByRole("button", { name: "Leave open" }).click();
  await expect(submit(it)).toHaveAttribute("aria-disabled", "false");
  await submit(it).click();
  expect(await answersOf(hub, ask)).toEqual([answer(["MongoDB"]), answer([], { leftOpen: true })]);
});

test("a single question says what is missing", async ({ page, hub, watch }) => {
  const ask = await hub.ask({ questions: [database] });
  await enter(page, hub);
  const it = card(page, ask);
  await expect(submit(it)).toHaveAccessibleDescription("Choose an answer, or write one.");
  await pressAnyway(submit(it));
  expect(watch.said).toEqual([]);
});

test("leaving every question open is not an answer", async ({ page, hub, watch }) => {
  const ask = await hub.ask({ questions: [database, auth] });
  await enter(page, hub);
  const it = card(page, ask);
  for (const question of [database, auth]) await section(it, question.question).getByRole("button", { name: "Leave open" }).click();
  await expect(submit(it)).toHaveAccessibleDescription("Every question is left open: decline instead, or answer one.");
  await pressAnyway(submit(it));
  expect(watch.said).toEqual([]);
});

test("a question that was left open can be answered after all", async ({ page, hub }) => {
  const ask = await hub.ask({ questions: [database, auth] });
  await enter(page, hub);
  const it = card(page, ask);
  await option(it, "SQLite").check();
  const second = section(it, auth.question);
  await option(second, "JWT").check();
  await second.getByRole("button", { name: "Leave open" }).click();
  await expect(option(second, "JWT")).not.toBeChecked();
  await second.getByRole("button", { name: "Left open" }).click();
  await expect(option(second, "JWT")).toBeChecked();
  await submit(it).click();
  expect(await answersOf(hub, ask)).toEqual([answer(["SQLite"]), answer(["JWT"])]);
});

test("Skip is a refusal that says so, and never an empty answer", async ({ page, hub, watch }) => {
  const ask = await hub.ask({ questions: [database] });
  await enter(page, hub);
  const it = card(page, ask);
  await option(it, "SQLite").check();
  await it.getByRole("button", { name: "Skip", exact: true }).click();
  expect(watch.said).toEqual([]);
  await it.getByRole("button", { name: "Skip it" }).click();
  const { resolution } = await ended(hub, ask);
  expect(resolution).toMatchObject({ kind: "declined", reason: "skipped by the person", responder: { surface: "web" } });
  await expect(it).toContainText("Declined: skipped by the person");
});

test("declining carries the reason, word for word", async ({ page, hub }) => {
  const ask = await hub.ask({ questions: [database] });
  await enter(page, hub);
  const it = card(page, ask);
  await it.getByRole("button", { name: "Decline…" }).click();
  await it.getByRole("textbox", { name: "Why not?" }).fill("not before the “review”,\nplease");
  await it.getByRole("button", { name: "Decline", exact: true }).click();
  const { resolution } = await ended(hub, ask);
  expect(resolution).toMatchObject({ kind: "declined", reason: "not before the “review”,\nplease" });
});

test("declining needs no reason", async ({ page, hub }) => {
  const ask = await hub.ask({ questions: [database] });
  await enter(page, hub);
  const it = card(page, ask);
  await it.getByRole("button", { name: "Decline…" }).click();
  await it.getByRole("button", { name: "Decline", exact: true }).click();
  expect((await ended(hub, ask)).resolution).toMatchObject({ kind: "declined", reason: null });
  await expect(it).toContainText("Declined. No option was sent.");
});

test("talking first takes words, and sends them", async ({ page, hub, watch }) => {
  const ask = await hub.ask({ questions: [database] });
  await enter(page, hub);
  const it = card(page, ask);
  await it.getByRole("button", { name: "Discuss first…" }).click();
  const send = it.getByRole("button", { name: "Send, and talk first" });
  await pressAnyway(send);
  expect(watch.said).toEqual([]);
  await it.getByRole("textbox", { name: "What do you want to say first?" }).fill("Why not a file?");
  await send.click();
  expect((await ended(hub, ask)).resolution).toMatchObject({ kind: "discuss", words: "Why not a file?" });
  await expect(it).toContainText("To be discussed first: Why not a file?");
});

test("changing one's mind goes back to answering, with the words kept", async ({ page, hub }) => {
  const ask = await hub.ask({ questions: [database] });
  await enter(page, hub);
  const it = card(page, ask);
  await it.getByRole("button", { name: "Decline…" }).click();
  await it.getByRole("textbox", { name: "Why not?" }).fill("too early");
  await it.getByRole("button", { name: "Back to answering" }).click();
  await expect(it.getByRole("textbox", { name: "Why not?" })).toHaveCount(0);
  await it.getByRole("button", { name: "Decline…" }).click();
  await expect(it.getByRole("textbox", { name: "Why not?" })).toHaveValue("too early");
  await it.getByRole("button", { name: "Back to answering" }).click();
  await option(it, "SQLite").check();
  await submit(it).click();
  expect(await answersOf(hub, ask)).toEqual([answer(["SQLite"])]);
});
