/** What a question looks like, and how a person chooses. */

import { answer, answersOf, card, enter, expect, option, ownWords, pressAnyway, review, submit, test } from "./fixtures.ts";
import { auth, database, features } from "./questions.ts";

test("a single-select question has a chip, radio buttons, bold labels and muted descriptions", async ({ page, hub }) => {
  const ask = await hub.ask({ questions: [database] });
  await enter(page, hub);
  const it = card(page, ask);
  await expect(it.getByText("Database", { exact: true })).toBeVisible();
  await expect(it.getByRole("group", { name: database.question })).toBeVisible();
  await expect(it.getByText("Choose one")).toBeVisible();
  await expect(it.getByRole("radio")).toHaveCount(4);
  await expect(it.getByRole("checkbox")).toHaveCount(0);

  const style = (text: string) => it.getByText(text, { exact: true }).evaluate((found) => {
    const { fontWeight, color } = getComputedStyle(found);
    return { weight: Number(fontWeight), color };
  });
  const label = await style("MongoDB");
  const description = await style("Document DB, flexible schema for rapid development");
  expect(label.weight).toBeGreaterThanOrEqual(600);
  expect(description.weight).toBeLessThan(500);
  expect(description.color).not.toBe(label.color);
});

test("a multi-select question has checkboxes, and several can be ticked", async ({ page, hub }) => {
  const ask = await hub.ask({ questions: [features] });
  await enter(page, hub);
  const it = card(page, ask);
  await expect(it.getByText("Choose any number")).toBeVisible();
  await expect(it.getByRole("checkbox")).toHaveCount(5);
  await expect(it.getByRole("radio")).toHaveCount(0);
  await option(it, "Tailwind CSS").check();
  await option(it, "TypeScript").check();
  await option(it, "ESLint + Prettier").check();
  await option(it, "ESLint + Prettier").uncheck();
  await submit(it).click();
  // In the order of the options, not of the ticking.
  expect(await answersOf(hub, ask)).toEqual([answer(["TypeScript", "Tailwind CSS"])]);
});

test("Recommended is marked apart from the label, and the label is sent whole", async ({ page, hub }) => {
  const ask = await hub.ask({ questions: [database] });
  await enter(page, hub);
  const it = card(page, ask);
  await expect(it.getByText("PostgreSQL", { exact: true })).toBeVisible();
  await expect(it.getByText("Recommended", { exact: true })).toHaveCount(1);
  await expect(it.getByText("(Recommended)")).toHaveCount(0);
  await option(it, "PostgreSQL").check();
  await submit(it).click();
  expect(await answersOf(hub, ask)).toEqual([answer(["PostgreSQL (Recommended)"])]);
});

test("the agent's own Other is not doubled", async ({ page, hub }) => {
  const other = { label: "Other (please specify)", description: "Something else" };
  const ask = await hub.ask({ questions: [{ ...database, options: [...database.options!, other] }] });
  await enter(page, hub);
  const it = card(page, ask);
  await expect(it.getByRole("radio")).toHaveCount(4);
  await expect(it.getByText("Other", { exact: true })).toHaveCount(1);
  await expect(it.getByText("please specify")).toHaveCount(0);
  await ownWords(it, "Database").fill("DuckDB");
  await submit(it).click();
  expect(await answersOf(hub, ask)).toEqual([answer([], { words: "DuckDB" })]);
});

test("ticked boxes and own words go together", async ({ page, hub }) => {
  const ask = await hub.ask({ questions: [features] });
  await enter(page, hub);
  const it = card(page, ask);
  await option(it, "Testing (Vitest)").check();
  await ownWords(it, "Features").fill("and a changelog");
  await expect(it.getByRole("checkbox", { name: "Other" })).toBeChecked();
  await expect(option(it, "Testing (Vitest)")).toBeChecked();
  await submit(it).click();
  expect(await answersOf(hub, ask)).toEqual([answer(["Testing (Vitest)"], { words: "and a changelog" })]);
});

test("choosing another radio button keeps the typed words, and does not send them", async ({ page, hub }) => {
  const ask = await hub.ask({ questions: [database] });
  await enter(page, hub);
  const it = card(page, ask);
  await ownWords(it, "Database").fill("DuckDB, maybe");
  await expect(it.getByRole("radio", { name: "Other" })).toBeChecked();
  await option(it, "SQLite").check();
  await expect(it.getByRole("radio", { name: "Other" })).not.toBeChecked();
  await expect(ownWords(it, "Database")).toHaveValue("DuckDB, maybe");
  await expect(it.getByText("Not chosen: these words will not be sent.")).toBeVisible();
  await expect(review(it)).not.toContainText("DuckDB");
  await submit(it).click();
  expect(await answersOf(hub, ask)).toEqual([answer(["SQLite"])]);
});

test("Other that is chosen and still empty cannot be sent", async ({ page, hub, watch }) => {
  const ask = await hub.ask({ questions: [features] });
  await enter(page, hub);
  const it = card(page, ask);
  await option(it, "TypeScript").check();
  await it.getByRole("checkbox", { name: "Other" }).check();
  await expect(it.getByText("“Other” is chosen, and still empty.")).toBeVisible();
  await pressAnyway(submit(it));
  await ownWords(it, "Features").fill("   \n ");
  await pressAnyway(submit(it));
  expect(watch.said).toEqual([]);
  await it.getByRole("checkbox", { name: "Other" }).uncheck();
  await submit(it).click();
  expect(await answersOf(hub, ask)).toEqual([answer(["TypeScript"])]);
});

test("what is chosen looks chosen", async ({ page, hub }) => {
  const ask = await hub.ask({ questions: [database] });
  await enter(page, hub);
  const it = card(page, ask);
  const look = (label: string) => it.locator("label", { hasText: label }).evaluate((found) => getComputedStyle(found).borderTopColor);
  const [mongo, sqlite] = [await look("MongoDB"), await look("SQLite")];
  expect(mongo).toBe(sqlite);
  await option(it, "MongoDB").check();
  await expect.poll(() => look("MongoDB")).not.toBe(sqlite);
  expect(await look("SQLite")).toBe(sqlite);
});

test("a note goes with its answer", async ({ page, hub }) => {
  const ask = await hub.ask({ questions: [auth] });
  await enter(page, hub);
  const it = card(page, ask);
  await option(it, "JWT").check();
  await it.getByRole("button", { name: "Add a note" }).click();
  await it.getByRole("textbox", { name: "Note beside the answer" }).fill("rotate the keys monthly");
  await expect(review(it)).toContainText("Note: rotate the keys monthly");
  await submit(it).click();
  expect(await answersOf(hub, ask)).toEqual([answer(["JWT"], { notes: "rotate the keys monthly" })]);
  await expect(it).toContainText("Note: rotate the keys monthly");
});

test("a question without options is answered in own words", async ({ page, hub }) => {
  const ask = await hub.ask({ questions: [{ question: "What should the command be called?", header: "Name" }] });
  await enter(page, hub);
  const it = card(page, ask);
  await expect(it.getByText("Answer in your own words")).toBeVisible();
  await expect(it.getByRole("radio")).toHaveCount(0);
  await ownWords(it, "Name").fill("handraise");
  await submit(it).click();
  expect(await answersOf(hub, ask)).toEqual([answer([], { words: "handraise" })]);
});

test("an agent that refuses own words offers none, and takes a note", async ({ page, hub }) => {
  const ask = await hub.ask({ questions: [database], policy: { ownWords: "refuse" } });
  await enter(page, hub);
  const it = card(page, ask);
  await expect(it.getByText("This agent takes only what it offers")).toBeVisible();
  await expect(it.getByRole("radio")).toHaveCount(3);
  await expect(ownWords(it, "Database")).toHaveCount(0);
  await option(it, "SQLite").check();
  await submit(it).click();
  expect(await answersOf(hub, ask)).toEqual([answer(["SQLite"])]);
});

const WORDS = {
  "ten thousand characters": "0123456789".repeat(1000),
  "emoji, joined and with skin tones": "👩🏽‍🚀 👨‍👩‍👧‍👦 🏴󠁧󠁢󠁥󠁮󠁧󠁿 ❤️",
  "right-to-left text": "مرحبا שלום (abc) ١٢٣",
  "quotes, commas, newlines and markup": `"a", 'b'; \`c\` \\ <b>&amp;</b> {{d}} $\{e}\n\tf,\n\n "g"`,
};

for (const [name, words] of Object.entries(WORDS)) {
  test(`${name} arrive byte for byte`, async ({ page, hub }) => {
    const ask = await hub.ask({ questions: [database] });
    await enter(page, hub);
    const it = card(page, ask);
    await ownWords(it, "Database").fill(words);
    await submit(it).click();
    expect(await answersOf(hub, ask)).toEqual([answer([], { words })]);
  });
}
