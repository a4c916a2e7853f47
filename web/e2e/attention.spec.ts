/** The page says that it is looked at: while somebody is there, and never otherwise. */

import type { Page } from "@playwright/test";

import type { LookParams } from "../src/generated/v1.ts";
import { enter, expect, isLive, isOffline, test } from "./fixtures.ts";

/** Has the page write down what it says; and somebody who looks, or does not. */
async function hear(page: Page): Promise<void> {
  await page.addInitScript(() => {
    Object.assign(window, { looking: true });
    document.hasFocus = () => (window as unknown as { looking: boolean }).looking;
    const send = window.fetch;
    window.fetch = (url, init) => {
      // What a page says while it goes is seen by nobody outside; what it has kept is there for the next.
      if (String(url).endsWith("/attention")) localStorage.setItem("test.said", `${localStorage.getItem("test.said") ?? ""}${String(init?.body)},`);
      if (String(url).endsWith("/attention") && !init?.keepalive) throw new Error("it would be lost with the page");
      return send(url, init);
    };
  });
}

async function heard(page: Page): Promise<LookParams[]> {
  const said = await page.evaluate(() => localStorage.getItem("test.said") ?? "");
  return JSON.parse(`[${said.slice(0, -1)}]`) as LookParams[];
}

const says = (page: Page, ...seconds: number[]) =>
  expect.poll(async () => (await heard(page)).map((one) => one.seconds)).toEqual(seconds);

const look = (page: Page, looking: boolean) =>
  page.evaluate((looking) => {
    Object.assign(window, { looking });
    dispatchEvent(new Event(looking ? "focus" : "blur"));
  }, looking);

test("nothing is said until somebody does something, and then once for a while", async ({ page, hub }) => {
  await hear(page);
  const answered = page.waitForResponse(/\/api\/v1\/attention$/);
  await enter(page, hub);
  expect(await heard(page)).toEqual([]);
  await page.mouse.move(300, 300);
  expect((await answered).status()).toBe(204);
  for (let i = 0; i < 10; i++) await page.mouse.move(300, 310 + i);
  await page.keyboard.press("Shift");
  await page.mouse.wheel(0, 10);
  const said = await heard(page);
  expect(said).toMatchObject([{ ask: null, seconds: 30 }]);
  expect(said[0]?.view).toMatch(/^[0-9a-f]{32}$/);
});

test("a key, a wheel and a press are something, too", async ({ page, hub }) => {
  await hear(page);
  await enter(page, hub);
  const acts = [() => page.keyboard.press("Shift"), () => page.mouse.wheel(0, 10), () => page.mouse.down()];
  for (const [i, act] of acts.entries()) {
    await act();
    await says(page, ...Array<number[]>(i + 1).fill([30, 0]).flat().slice(0, -1));
    await look(page, false);
    await page.reload();
    await isLive(page);
  }
});

test("a page that is left says so at once, and speaks again when somebody is back", async ({ page, hub }) => {
  await hear(page);
  await enter(page, hub);
  await page.mouse.move(300, 300);
  await says(page, 30);
  await look(page, false);
  await says(page, 30, 0);
  // A pointer on its way over a window in the background is nobody who looks.
  await page.mouse.move(400, 400);
  await says(page, 30, 0);
  await look(page, true);
  await says(page, 30, 0, 30);
});

test("a page that goes says so while it goes, and the next has another name", async ({ page, hub }) => {
  await hear(page);
  await enter(page, hub);
  await page.mouse.move(300, 300);
  await says(page, 30);
  await page.reload();
  await isLive(page);
  await says(page, 30, 0);
  await page.mouse.move(400, 400);
  await says(page, 30, 0, 30);
  const [first, last, next] = await heard(page);
  expect(last?.view).toBe(first?.view);
  expect(next?.view).not.toBe(first?.view);
});

test("the login page, and a page without its line, see nothing and say nothing", async ({ page, hub, watch }) => {
  watch.allowCuts();
  await hear(page);
  await page.goto(hub.url);
  await page.mouse.move(300, 300);
  await expect(page.getByRole("button", { name: "Log in" })).toBeVisible();
  expect(await heard(page)).toEqual([]);
  await page.reload();
  await enter(page, hub);
  await hub.kill();
  await isOffline(page);
  await page.mouse.move(400, 400);
  await page.keyboard.press("Shift");
  expect(await heard(page)).toEqual([]);
  await hub.launch();
  await isLive(page);
  // It says that somebody looks as soon as it shows again what waits.
  await says(page, 30);
});
