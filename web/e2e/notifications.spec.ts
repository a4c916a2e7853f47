/** Notifications of the desktop: only when they were asked for, and only when nobody looks. */

import type { Page } from "@playwright/test";

import { answer, card, enter, expect, isLive, test } from "./fixtures.ts";
import { auth, database } from "./questions.ts";

type Recorded = { asked: number; shown: { title: string; body: string; closed: boolean; click: () => void }[] };

/** A browser's notifications, written down; and somebody who looks, or does not. */
async function record(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const recorded: Recorded = { asked: 0, shown: [] };
    class Recorder {
      static permission = (localStorage.getItem("test.permission") as NotificationPermission | null) ?? "default";
      static requestPermission = async () => {
        recorded.asked += 1;
        Recorder.permission = "granted";
        localStorage.setItem("test.permission", "granted");
        return Recorder.permission;
      };
      onclick: (() => void) | null = null;
      private readonly entry;
      constructor(title: string, { body = "" }: { body?: string } = {}) {
        this.entry = { title, body, closed: false, click: () => this.onclick?.() };
        recorded.shown.push(this.entry);
      }
      close() {
        this.entry.closed = true;
      }
    }
    Object.assign(window, { Notification: Recorder, recorded, looking: true });
    document.hasFocus = () => (window as unknown as { looking: boolean }).looking;
  });
}

const recorded = (page: Page) => page.evaluate(() => (window as unknown as { recorded: Recorded }).recorded as Omit<Recorded, "shown"> & { shown: { title: string; body: string; closed: boolean }[] });
const look = (page: Page, looking: boolean) => page.evaluate((looking) => void Object.assign(window, { looking }), looking);

test("permission is asked for at a click, and never before", async ({ page, hub }) => {
  await record(page);
  await hub.ask({ questions: [database] });
  await enter(page, hub);
  await look(page, false);
  const second = await hub.ask({ questions: [auth] });
  await expect(card(page, second)).toBeVisible();
  expect(await recorded(page)).toMatchObject({ asked: 0, shown: [] });
  await page.getByRole("button", { name: "Notify me of new ones" }).click();
  await expect(page.getByRole("button", { name: "Notifications are on" })).toHaveAttribute("aria-pressed", "true");
  expect((await recorded(page)).asked).toBe(1);
  // Remembered, without asking again.
  await page.reload();
  await isLive(page);
  await expect(page.getByRole("button", { name: "Notifications are on" })).toBeVisible();
  expect((await recorded(page)).asked).toBe(0);
});

test("a new ask is told of when nobody looks, and taken back when it has ended", async ({ page, hub }) => {
  await record(page);
  await enter(page, hub);
  await page.getByRole("button", { name: "Notify me of new ones" }).click();
  const first = await hub.ask({ questions: [database] });
  await expect(card(page, first)).toBeVisible();
  expect((await recorded(page)).shown).toEqual([]);
  await look(page, false);
  const second = await hub.ask({ questions: [auth], asker: { directory: "/src/bank" } });
  await expect(card(page, second)).toBeVisible();
  expect((await recorded(page)).shown).toMatchObject([{ title: "Claude is asking · bank", body: auth.question, closed: false }]);
  await hub.answer(second.id, { answers: [answer(["JWT"])] });
  await expect(card(page, second)).toHaveAttribute("data-state", "resolved");
  expect((await recorded(page)).shown).toMatchObject([{ closed: true }]);
});

test("a notification leads to its ask", async ({ page, hub }) => {
  await record(page);
  await enter(page, hub);
  await page.getByRole("button", { name: "Notify me of new ones" }).click();
  for (let i = 0; i < 6; i++) await hub.ask({ questions: [{ ...database, question: `Number ${i}?` }], asker: { session: `s-${i}` } });
  await expect(page.getByRole("article")).toHaveCount(6);
  await look(page, false);
  const ask = await hub.ask({ questions: [auth], asker: { session: "s-7" } });
  await expect(card(page, ask).getByRole("button", { name: "Unfold" })).toBeVisible();
  await page.getByRole("link", { name: "Devices" }).click();
  await page.evaluate(() => (window as unknown as { recorded: Recorded }).recorded.shown[0]?.click());
  await expect(card(page, ask)).toBeFocused();
  await expect(card(page, ask).getByRole("radio").first()).toBeVisible();
});

test("they can be switched off again", async ({ page, hub }) => {
  await record(page);
  await enter(page, hub);
  await page.getByRole("button", { name: "Notify me of new ones" }).click();
  await page.getByRole("button", { name: "Notifications are on" }).click();
  await look(page, false);
  const ask = await hub.ask({ questions: [database] });
  await expect(card(page, ask)).toBeVisible();
  expect((await recorded(page)).shown).toEqual([]);
});

test("an answer nobody gave is told of when nobody looks, and leads to History", async ({ page, hub }) => {
  await record(page);
  await enter(page, hub);
  await page.getByRole("button", { name: "Notify me of new ones" }).click();
  const ask = await hub.ask({ questions: [auth], asker: { directory: "/src/bank" } });
  await expect(card(page, ask)).toBeVisible();
  await look(page, false);
  const took = { kind: "answered", answers: [answer(["JWT"])] };
  await hub.receipt(ask.id, { level: "seen", took, doubt: { kind: "empty", why: "Nothing was chosen." } });
  await expect(page.locator("[data-alarm]")).toBeVisible();
  expect((await recorded(page)).shown).toMatchObject([{ title: "Nobody gave this answer · bank", body: auth.question, closed: false }]);
  await page.evaluate(() => (window as unknown as { recorded: Recorded }).recorded.shown[0]?.click());
  await expect(page.locator(`[data-past="${ask.id}"]`)).toHaveAttribute("open", "");
});
