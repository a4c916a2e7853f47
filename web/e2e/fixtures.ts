/** What every test has: a hub of its own, pages that may do nothing wrong, and a way in. */

import { test as base, expect, type BrowserContext, type Locator, type Page } from "@playwright/test";

import type { AskResponse } from "../src/generated/v1.ts";
import { Hub } from "./hub.ts";

/** What pages did that no page of ours may do; a test says beforehand what it provokes. */
export class Watch {
  readonly wrongs: string[] = [];
  /** Words and decisions that pages have sent to the hub. */
  readonly said: string[] = [];
  /** Playwright itself looks into frames, and is kept out of those with an agent's page. */
  private readonly welcome: RegExp[] = [/^console: Blocked script execution in '[^']*\/previews\/[0-9a-f]+' because the document's frame is sandboxed/];

  /** Says of what kind a wrong is that the test provokes on purpose. */
  allow(...patterns: RegExp[]): void {
    this.welcome.push(...patterns);
  }

  /** A line that is cut says so in the console, whatever the page does. */
  allowCuts(): void {
    this.allow(/net::ERR_/, /WebSocket connection to .* failed/);
  }

  on(context: BrowserContext, origin: () => string): void {
    context.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") this.note(`console: ${message.text()} (${message.location().url})`);
    });
    context.on("weberror", (error) => this.note(`error: ${error.error().message}`));
    context.on("dialog", (dialog) => {
      this.note(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    const elsewhere = (url: string) => {
      const home = [`${origin()}/`, `${origin().replace("http", "ws")}/`, "data:", "blob:", "about:"];
      if (!home.some((start) => url.startsWith(start))) this.note(`request elsewhere: ${url}`);
    };
    context.on("request", (request) => {
      elsewhere(request.url());
      if (/\/(answer|decline|discuss)$/.test(request.url())) this.said.push(request.url());
    });
    context.on("page", (page) => page.on("websocket", (socket) => elsewhere(socket.url())));
  }

  private note(wrong: string): void {
    this.wrongs.push(wrong);
  }

  get unexpected(): string[] {
    return this.wrongs.filter((wrong) => !this.welcome.some((pattern) => pattern.test(wrong)));
  }
}

type Fixtures = {
  hub: Hub;
  watch: Watch;
  /** Another browser: a device of its own. */
  another: (options?: Parameters<import("@playwright/test").Browser["newContext"]>[0]) => Promise<Page>;
};

export const test = base.extend<Fixtures>({
  hub: async ({}, use, info) => {
    const hub = await Hub.start();
    await use(hub);
    if (info.status !== info.expectedStatus) await info.attach("the hub's stderr", { body: hub.stderr, contentType: "text/plain" });
    await hub.end();
  },

  watch: [
    async ({ hub, context }, use) => {
      const watch = new Watch();
      watch.on(context, () => hub.url);
      await use(watch);
      const wrongs = watch.unexpected;
      // What a page still does is of no interest when its test is over.
      for (const page of context.pages()) await page.unrouteAll({ behavior: "ignoreErrors" });
      expect(wrongs, "what no page may do").toEqual([]);
    },
    { auto: true },
  ],

  another: async ({ browser, hub, watch }, use) => {
    const contexts: BrowserContext[] = [];
    await use(async (options) => {
      const context = await browser.newContext({ viewport: { width: 1200, height: 800 }, ...options });
      contexts.push(context);
      watch.on(context, () => hub.url);
      return context.newPage();
    });
    for (const context of contexts) {
      for (const page of context.pages()) await page.unrouteAll({ behavior: "ignoreErrors" });
      await context.close();
    }
  },
});

export { expect };

/** Opens the dashboard with a link of its own, and waits until it is live. */
export async function enter(page: Page, hub: Hub): Promise<void> {
  await page.goto(await hub.link());
  await isLive(page);
}

export const isLive = (page: Page) => expect(page.locator("[data-line=live]")).toBeVisible();
export const isOffline = (page: Page) => expect(page.locator("[data-line=offline]")).toBeVisible();

export const card = (page: Page, ask: { id: string }): Locator => page.locator(`[data-ask="${ask.id}"]`);
export const option = (card: Locator, label: string): Locator => card.locator("label.option", { hasText: label }).getByRole("radio").or(card.locator("label.option", { hasText: label }).getByRole("checkbox"));
export const ownWords = (card: Locator, name: string): Locator => card.getByRole("textbox", { name: `${name}: your own words` });
export const submit = (card: Locator): Locator => card.getByRole("button", { name: "Submit" });
export const review = (card: Locator): Locator => card.getByRole("group", { name: "What will be sent" });

/** Presses what is greyed out, as a person can; Playwright would wait. */
export async function pressAnyway(button: Locator): Promise<void> {
  await expect(button).toHaveAttribute("aria-disabled", "true");
  await button.click({ force: true });
}

/** One answer as the hub stores it. */
export const answer = (selected: string[], more: { words?: string; notes?: string; leftOpen?: boolean } = {}) => ({
  selected,
  words: more.words ?? null,
  notes: more.notes ?? null,
  leftOpen: more.leftOpen ?? false,
});

/** Waits until the hub has an end for it. */
export async function ended(hub: Hub, ask: { id: string }): Promise<AskResponse> {
  let found = await hub.get(ask.id);
  await expect.poll(async () => (found = await hub.get(ask.id)).state, { message: "the ask ends" }).not.toBe("open");
  return found;
}

/** What the hub has stored as the answers. */
export async function answersOf(hub: Hub, ask: { id: string }): Promise<unknown> {
  const { resolution } = await ended(hub, ask);
  return resolution?.kind === "answered" ? resolution.answers : resolution;
}

/** Waits until the draft is at the hub. */
export const draftIsKept = (card: Locator) => expect(card.locator("[data-draft=kept]")).toBeVisible();

/** No page is wider than its window; otherwise, what sticks out. */
export async function fits(page: Page): Promise<void> {
  const out = await page.evaluate(() => {
    if (document.documentElement.scrollWidth <= innerWidth) return [];
    const all = [...document.body.querySelectorAll("*")].filter((one) => one.getBoundingClientRect().right > innerWidth);
    return all.map((one) => `${one.tagName.toLowerCase()}.${one.className.toString()} to ${one.getBoundingClientRect().right}`);
  });
  expect(out, "what sticks out of the window").toEqual([]);
}
