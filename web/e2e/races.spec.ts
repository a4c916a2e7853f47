/** Two browsers and a terminal at one ask: one answer counts, and everybody sees the same. */

import type { Page } from "@playwright/test";

import type { AskResponse, AsksResponse } from "../src/generated/v1.ts";
import { card, ended, enter, expect, option, ownWords, submit, test as base } from "./fixtures.ts";
import type { Hub } from "./hub.ts";
import { database } from "./questions.ts";
import { Terminal } from "./terminal.ts";

/** All of them keep a draft for one person: one may be told that it is behind, and tries again. */
const BEHIND = /409.*\/draft\)$/;

const test = base.extend<{ terminal: Terminal; ask: AskResponse; one: Page; two: Page }>({
  terminal: async ({ hub }, use) => {
    const terminal = await Terminal.start(hub);
    await use(terminal);
    terminal.end();
  },
  /** Put by `handraise ask` in the terminal, whose prompt is open there. */
  ask: async ({ hub, terminal }, use) => {
    terminal.write("ask.json", { questions: [database] });
    terminal.run("ask", "ask.json");
    await terminal.shows("╰");
    await use(await only(hub));
  },
  one: async ({ page, hub, ask }, use) => use(await device(page, hub, ask)),
  two: async ({ another, hub, ask }, use) => use(await device(await another(), hub, ask)),
});

async function only(hub: Hub): Promise<AskResponse> {
  const { asks } = await hub.call<AsksResponse>("person", "GET", "asks?state=open");
  expect(asks).toHaveLength(1);
  return asks[0]!;
}

/** A device whose drafts do not reach the other ones, so that each has words of its own. */
async function device(page: Page, hub: Hub, ask: AskResponse): Promise<Page> {
  await page.route(/\/draft$/, (route) => (route.request().method() === "GET" ? route.fulfill({ json: null }) : route.fulfill({ status: 204 })));
  await enter(page, hub);
  await expect(card(page, ask)).toBeVisible();
  return page;
}

/** What the hub has, as the card and the terminal say it. */
async function stands(hub: Hub, ask: AskResponse): Promise<string> {
  const { resolution } = await ended(hub, ask);
  if (resolution?.kind !== "answered" || !resolution.answers?.[0]) throw new Error("it was not answered");
  const { selected, words } = resolution.answers[0];
  return words ?? selected[0] ?? "";
}

const kept = (page: Page, ask: AskResponse) => card(page, ask).getByRole("group", { name: "Your words, kept" });
/** What the card says was answered; kept words are not part of it. */
const said = (page: Page, ask: AskResponse) => card(page, ask).getByRole("definition");

test("of three different answers at the same moment one wins, and everybody shows that one", async ({ hub, ask, terminal, one, two, watch }) => {
  watch.allow(/409/);
  await ownWords(card(one, ask), "Database").fill("alpha");
  await ownWords(card(two, ask), "Database").fill("beta");
  terminal.press("Down");
  await terminal.shows("> ○ MongoDB");
  // Both pages' answers are on their way and held until the terminal's is, too.
  let release = () => {};
  const start = new Promise<void>((resolve) => (release = resolve));
  for (const page of [one, two]) {
    await page.route(/\/answer$/, async (route) => {
      await start;
      await route.continue();
    });
    const sent = page.waitForRequest(/\/answer$/);
    await submit(card(page, ask)).click();
    await sent;
  }
  release();
  terminal.press("Enter");

  const winner = await stands(hub, ask);
  expect(["alpha", "beta", "MongoDB"]).toContain(winner);
  await terminal.shows("code=0");
  expect(terminal.out).toContain(winner);
  for (const [page, mine] of [[one, "alpha"], [two, "beta"]] as const) {
    await expect(said(page, ask)).toHaveText(winner === "MongoDB" ? winner : `“${winner}”`);
    const by = winner === "MongoDB" ? "you in a terminal" : winner === mine ? "you, here" : "you in the dashboard";
    await expect(card(page, ask)).toContainText(`Answered by ${by}`);
    await expect(kept(page, ask)).toHaveCount(winner === mine ? 0 : 1);
    if (winner !== mine) await expect(kept(page, ask)).toContainText(mine);
  }
  if (winner !== "MongoDB") await terminal.shows("Answered elsewhere by ann");
});

test("when a page is first, the other page and the terminal say so, and keep what was typed there", async ({ hub, ask, terminal, one, two, watch }) => {
  watch.allow(BEHIND);
  await ownWords(card(two, ask), "Database").fill("beta");
  terminal.press("4");
  await terminal.shows("Please specify:");
  terminal.type("gamma");
  await terminal.shows("gamma");
  await option(card(one, ask), "SQLite").check();
  await submit(card(one, ask)).click();

  expect(await stands(hub, ask)).toBe("SQLite");
  await expect(card(one, ask)).toContainText("Answered by you, here");
  await expect(said(two, ask)).toHaveText("SQLite");
  await expect(card(two, ask)).toContainText("Answered by you in the dashboard");
  await expect(kept(two, ask)).toContainText("beta");
  await terminal.shows("Answered elsewhere by ann");
  await terminal.shows("✔ Database: SQLite");
  await terminal.shows("You had typed: gamma");
});

test("when the terminal is first, both pages say so, and keep what was typed there", async ({ hub, ask, terminal, one, two, watch }) => {
  watch.allow(BEHIND);
  await ownWords(card(one, ask), "Database").fill("alpha");
  await ownWords(card(two, ask), "Database").fill("beta");
  terminal.press("Down", "Enter");
  await terminal.shows("code=0");

  expect(await stands(hub, ask)).toBe("MongoDB");
  for (const [page, mine] of [[one, "alpha"], [two, "beta"]] as const) {
    await expect(said(page, ask)).toHaveText("MongoDB");
    await expect(card(page, ask)).toContainText("Answered by you in a terminal");
    await expect(kept(page, ask)).toContainText(mine);
    await expect(submit(card(page, ask))).toHaveCount(0);
  }
});

test("a page that did not hear yet is told who was first, and keeps its words", async ({ hub, page, terminal, watch }) => {
  watch.allow(/409/);
  const ask = await hub.ask({ questions: [database] });
  // The page never hears of events: only its own submit tells it.
  await page.routeWebSocket(/events/, (socket) => {
    const hubside = socket.connectToServer();
    hubside.onMessage((message) => {
      if (!String(message).includes("ask.resolved")) socket.send(message);
    });
  });
  await enter(page, hub);
  const it = card(page, ask);
  await ownWords(it, "Database").fill("alpha");
  terminal.run("answer", ask.id, "--choose", "Database=SQLite");
  await terminal.shows("code=0");
  await expect(submit(it)).toBeVisible();
  await submit(it).click();
  await expect(said(page, ask)).toHaveText("SQLite");
  await expect(it).toContainText("Answered by you through the API");
  await expect(kept(page, ask)).toContainText("alpha");
});

test("a terminal that comes too late is told the answer that stands", async ({ hub, page, terminal }) => {
  const ask = await hub.ask({ questions: [database] });
  await enter(page, hub);
  await option(card(page, ask), "PostgreSQL").check();
  await submit(card(page, ask)).click();
  await ended(hub, ask);
  terminal.run("answer", ask.id, "--choose", "Database=SQLite");
  await terminal.shows("code=5");
  expect(await stands(hub, ask)).toBe("PostgreSQL (Recommended)");
});
