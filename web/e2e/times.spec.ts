/** How long agents waited: at the top of History, as a picture and as a table. */

import type { Page } from "@playwright/test";

import type { TimesJson, TimesResponse } from "../src/generated/v1.ts";
import { answer, enter, expect, fits, test } from "./fixtures.ts";
import type { Hub } from "./hub.ts";
import { database } from "./questions.ts";

const chart = (page: Page) => page.getByRole("figure");
const table = (page: Page) => page.getByRole("table", { name: "How long agents waited, by day and project" });

async function open(page: Page, hub: Hub): Promise<void> {
  await enter(page, hub);
  await page.getByRole("link", { name: "History" }).click();
  await expect(page.getByRole("heading", { name: "History" })).toBeVisible();
}

/** Minutes day by day, of which all were answered in one minute. */
function times(...minutes: number[]): TimesJson {
  const of = (waited: number) => ({ asks: 1, answered: 1, waitedSeconds: waited * 60, medianSeconds: 60, longestSeconds: 90 });
  return { days: minutes.map(of), total: of(minutes.reduce((sum, one) => sum + one, 0)) };
}

const pretend = (page: Page, told: TimesResponse) => page.route(/\/api\/v1\/times/, (route) => route.fulfill({ json: told }));

test("what was waited for is there as soon as something has ended, and nothing before", async ({ page, hub }) => {
  await open(page, hub);
  await expect(page.getByText("Nothing has ended yet.")).toBeVisible();
  await expect(chart(page)).toHaveCount(0);
  const ask = await hub.ask({ questions: [database], asker: { directory: "/src/shop" } });
  await hub.answer(ask.id, { answers: [answer(["SQLite"])] });
  await expect(chart(page)).toContainText(/Agents waited .+ in the last 14 days\. 1 answer came after \d+ s\./);
  await expect(table(page).getByRole("columnheader")).toHaveText(["Day", "shop"]);
  await expect(table(page).getByRole("row")).toHaveCount(15);
  const one = page.getByRole("list", { name: "Past asks" }).locator("summary");
  await expect(one).toContainText(/after \d+ s/);
});

test("the browser says by which clock it counts days", async ({ another, hub }) => {
  const page = await another({ timezoneId: "Asia/Kolkata" });
  const asked = page.waitForRequest(/\/api\/v1\/times/);
  await open(page, hub);
  expect(new URL((await asked).url()).search).toBe("?offset=330");
});

test("each day is as high as it was long, in parts that add up", async ({ page, hub }) => {
  const [shop, bank, api, docs, web] = [times(30, 0), times(15, 10), times(5, 5), times(5, 2), times(5, 3)];
  const projects = [["shop", shop], ["bank", bank], ["api", api], ["docs", docs], [null, web]] as const;
  await pretend(page, { dates: ["2026-11-15", "2026-11-16"], projects: projects.map(([name, times]) => ({ name, times })), others: null, all: times(60, 20) });
  await open(page, hub);
  await expect(chart(page)).toContainText("Agents waited 1 h 20 min in the last 2 days.");
  await expect(table(page).getByRole("columnheader")).toHaveText(["Day", "shop", "bank", "api", "Others"]);
  const rows = table(page).getByRole("row");
  await expect(rows.nth(1)).toHaveText(/^(15 Nov|Nov 15)30 min15 min5 min10 min$/);
  await expect(rows.nth(2)).toHaveText(/^(16 Nov|Nov 16)0 s10 min5 min5 min$/);
  const parts = await chart(page).locator("rect").evaluateAll((all) => all.map((one) => [one.getAttribute("y"), one.getAttribute("height")].map(Number) as [number, number]));
  const [first, second] = [parts.slice(0, 4), parts.slice(4)];
  const sum = (day: [number, number][]) => day.reduce((sum, [, height]) => sum + height, 0);
  expect(sum(first)).toBeCloseTo(1);
  expect(sum(second)).toBeCloseTo(1 / 3);
  // One upon the other, from the bottom, without a gap.
  for (const day of [first, second]) {
    day.reduce((bottom, [y, height]) => (expect(y + height).toBeCloseTo(bottom), y), 1);
  }
  const colours = await chart(page).locator("rect").evaluateAll((all) => all.slice(0, 4).map((one) => getComputedStyle(one).fill));
  expect(new Set(colours).size).toBe(4);
});

test("a project's name is text, however it is made", async ({ page, hub }) => {
  const name = '<img src=x onerror="alert(1)">\u202e\n' + "x".repeat(300);
  await pretend(page, { dates: ["2026-11-16"], projects: [{ name, times: times(3) }], others: null, all: times(3) });
  await open(page, hub);
  await expect(chart(page)).toContainText('<img src=x onerror="alert(1)">');
  for (const width of [320, 1200]) {
    await page.setViewportSize({ width, height: 600 });
    await fits(page);
  }
});

test("a hub that cannot tell leaves History as it is", async ({ page, hub, watch }) => {
  watch.allow(/status of 500/);
  const ask = await hub.ask({ questions: [database] });
  await hub.answer(ask.id, { answers: [answer(["SQLite"])] });
  await page.route(/\/api\/v1\/times/, (route) => route.fulfill({ status: 500, json: {} }));
  await open(page, hub);
  await expect(page.getByRole("list", { name: "Past asks" }).locator("summary")).toHaveCount(1);
  await expect(chart(page)).toHaveCount(0);
  await expect(page.getByRole("alert")).toHaveCount(0);
});
