/** The list of sessions: what goes on, what waits in it, what is over. */

import type { Page } from "@playwright/test";

import { card, enter, expect, fits, isLive, isOffline, submit, test, option } from "./fixtures.ts";
import type { Hub } from "./hub.ts";
import { database } from "./questions.ts";
import { Runner } from "./runner.ts";

const row = (page: Page, runner: Runner) => page.locator(`[data-session="${runner.id}"]`);
const nav = (page: Page) => page.getByRole("navigation").getByRole("link", { name: "Sessions" });

async function look(page: Page, hub: Hub): Promise<void> {
  await enter(page, hub);
  await nav(page).click();
  await expect(page.getByRole("heading", { name: "Sessions" })).toBeVisible();
}

test("nothing goes on: the page says how to have a session, and where none can be started from here", async ({ page, hub }) => {
  await look(page, hub);
  await expect(page.getByText("No session goes on.")).toBeVisible();
  await expect(page.getByText("handraise run -- claude")).toBeVisible();
  await page.getByRole("button", { name: "Start a session…" }).click();
  await expect(page.getByText("the configuration allows no directory")).toBeVisible();
  await expect(page.getByText("start_in =")).toBeVisible();
  await expect(page.getByRole("form")).toHaveCount(0);
});

test("each state has its words, live ones stand first and the newest above", async ({ page, hub }) => {
  const over = await Runner.begin(hub, { title: "Over" });
  await over.tell({ state: "ended", trouble: "exit code 1" });
  const all: [Runner, string][] = [];
  for (const state of ["starting", "working", "idle", "stopped", "deferred"] as const) {
    const runner = await Runner.begin(hub, { title: `A ${state} one`, state });
    all.push([runner, state === "deferred" ? "waits for your answer" : state]);
  }
  await look(page, hub);
  for (const [runner, words] of all) await expect(row(page, runner)).toContainText(words);
  await expect(row(page, over)).toContainText("ended");
  await expect(row(page, over)).toContainText("exit code 1");
  const live = page.getByRole("list", { name: "Sessions that go on" }).getByRole("link");
  await expect(live).toHaveCount(5);
  await expect(page.getByRole("list", { name: "Sessions that are over" }).getByRole("link")).toHaveCount(1);
  await fits(page);
});

test("a session that begins, gets a name, is troubled and ends is all that at once", async ({ page, hub }) => {
  await look(page, hub);
  const runner = await Runner.begin(hub, { title: "", directory: "/home/ann/handbook" });
  await expect(row(page, runner)).toContainText("handbook");
  await expect(row(page, runner)).toContainText("working");
  await runner.tell({ title: "Spelling" });
  await expect(row(page, runner)).toContainText("Spelling");
  await runner.tell({ state: "stopped", trouble: "the machine was restarted" });
  await expect(row(page, runner)).toContainText("the machine was restarted");
  await runner.tell({ state: "ended" });
  await expect(page.getByRole("list", { name: "Sessions that are over" })).toContainText("Spelling");
});

test("the host is named where there are several", async ({ page, hub }) => {
  const here = await Runner.begin(hub);
  await look(page, hub);
  await expect(row(page, here)).toBeVisible();
  await expect(row(page, here)).not.toContainText("laptop");
  await Runner.begin(hub, { host: "ci-7" });
  await expect(row(page, here)).toContainText("laptop");
});

test("what waits in a session is counted there and in the navigation, until it is answered", async ({ page, hub }) => {
  const runner = await Runner.begin(hub);
  const other = await Runner.begin(hub, { title: "Other" });
  // Of somebody who is in no session.
  await hub.ask({ questions: [database], asker: { session: "elsewhere" } });
  const asks = [await runner.ask({ questions: [database] }), await runner.ask({ questions: [database] })];
  await look(page, hub);
  await expect(row(page, runner)).toContainText("2 waiting");
  await expect(row(page, runner)).toContainText("waiting for you");
  await expect(row(page, other)).not.toContainText("waiting");
  await expect(nav(page)).toHaveText(/Sessions\s*1$/);
  await other.ask({ questions: [database] });
  await expect(nav(page)).toHaveText(/Sessions\s*2$/);
  await row(page, runner).click();
  for (const ask of asks) {
    await option(card(page, ask), "SQLite").check();
    await submit(card(page, ask)).click();
    await expect(card(page, ask)).toContainText("Stored.");
  }
  await expect(nav(page)).toHaveText(/Sessions\s*1$/);
  await page.getByRole("link", { name: "‹ Sessions" }).click();
  await expect(row(page, runner)).toContainText("working");
});

test("a card among all that waits leads to its session, and there it leads nowhere", async ({ page, hub }) => {
  const runner = await Runner.begin(hub);
  const ask = await runner.ask({ questions: [database] });
  await enter(page, hub);
  await card(page, ask).getByRole("link", { name: "its session" }).click();
  await expect(page.getByRole("heading", { name: "Checkout redesign" })).toBeVisible();
  await expect(card(page, ask)).toBeVisible();
  await expect(card(page, ask).getByRole("link", { name: "its session" })).toHaveCount(0);
});

test("sessions that are over come in pages", async ({ page, hub }) => {
  test.slow();
  for (let i = 0; i < 120; i++) {
    const runner = await Runner.begin(hub, { title: `Session ${i}` });
    await runner.tell({ state: "ended" });
  }
  const rows = page.getByRole("list", { name: "Sessions that are over" }).getByRole("link");
  await look(page, hub);
  await expect(rows).toHaveCount(50);
  await page.getByRole("button", { name: "Show more" }).click();
  await expect(rows).toHaveCount(100);
  await page.getByRole("button", { name: "Show more" }).click();
  await expect(rows).toHaveCount(120);
  await expect(page.getByRole("button", { name: "Show more" })).toHaveCount(0);
});

test("a page that has lost its line does not say that anybody works, and catches up when it is back", async ({ page, hub, watch }) => {
  watch.allowCuts();
  const runner = await Runner.begin(hub);
  await look(page, hub);
  await expect(row(page, runner)).toContainText("working");
  await page.context().setOffline(true);
  await isOffline(page);
  await expect(row(page, runner)).toContainText("working when last heard");
  await runner.tell({ state: "ended" });
  await page.context().setOffline(false);
  await isLive(page);
  await expect(page.getByRole("list", { name: "Sessions that are over" })).toContainText("Checkout redesign");
});

test("a link to a session that does not exist says so", async ({ page, hub, watch }) => {
  watch.allow(/404/);
  await enter(page, hub);
  for (const id of ["00000000-0000-7000-8000-000000000000", "nonsense"]) {
    await page.goto(`${hub.url}/#/sessions/${id}`);
    await expect(page.getByText("There is no such session.")).toBeVisible();
  }
});

test("where the configuration allows it, a session is started from the page; a refusal stands at the field", async ({ page, hub, watch }) => {
  watch.allow(/422/);
  const runner = await Runner.begin(hub, { title: "The one that was started" });
  // The hub of this test allows none: its list is shown as that of one that does.
  await page.route(/\/api\/v1\/sessions\?/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), startIn: ["/home/ann", "/srv/build"] } });
  });
  const told: Record<string, string>[] = [];
  await page.route(/\/api\/v1\/sessions\/start$/, async (route) => {
    told.push(route.request().postDataJSON() as Record<string, string>);
    if (told.length === 1) return route.continue();
    await route.fulfill({ status: 201, json: await runner.session() });
  });
  await look(page, hub);
  await page.getByRole("button", { name: "Start a session…" }).click();
  const directory = page.getByLabel("Directory");
  await expect(directory).toHaveValue("/home/ann");
  await directory.fill("/etc");
  await page.getByLabel("First words").fill("Tidy up");
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await expect(page.getByRole("alert")).toContainText("allowed: a directory listed in startIn");
  await expect(directory).toHaveAttribute("aria-invalid", "true");
  await expect(directory).toHaveAccessibleDescription(/allowed/);
  await expect(page.getByLabel("First words")).toHaveValue("Tidy up");
  await directory.fill("/home/ann/shop");
  await expect(page.getByRole("alert")).toHaveCount(0);
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await expect(page.getByRole("heading", { name: "The one that was started" })).toBeVisible();
  expect(told.map(({ directory, text }) => [directory, text])).toEqual([["/etc", "Tidy up"], ["/home/ann/shop", "Tidy up"]]);
  expect(told[0]?.idempotencyKey).not.toBe(told[1]?.idempotencyKey);
});
