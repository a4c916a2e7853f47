/**
 * A hand at the dashboard, or at any other page, for tests in other languages: one command a line on
 * standard input, as a JSON list; one line back when it is done, or what went wrong.
 */

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

import { chromium, expect } from "@playwright/test";

import config from "./chromium.mjs";

const PATIENCE_MS = 30_000;
const AXE = readFileSync(new URL("../node_modules/axe-core/axe.min.js", import.meta.url), "utf8");
const WIDE = { width: 1200, height: 900 };
const NARROW = { width: 320, height: 640 };

const browser = await chromium.launch(config);
const page = await browser.newPage({ viewport: WIDE });
page.setDefaultTimeout(PATIENCE_MS);
const troubles = [];
page.on("pageerror", (error) => troubles.push(error.message));
page.on("dialog", (dialog) => {
  troubles.push(`it called ${dialog.type()}`);
  return dialog.dismiss();
});
/** Requests whose answers are held back, and how to let those through that have come. */
const held = { asked: 0, answered: [] };
const patiently = expect.configure({ timeout: PATIENCE_MS });

/** What a person does, within the place it was last pointed at. */
let place = page;
const reading = (text) => place.getByText(text).filter({ visible: true });
const control = (name) => place.getByLabel(name).or(place.getByRole("button", { name, exact: true })).first();

/** Nothing axe-core finds wrong, in either colours, on a screen and on a phone, and nothing sticks out. */
async function isAccessible() {
  await page.evaluate(AXE);
  for (const colorScheme of ["dark", "light"]) {
    await page.emulateMedia({ colorScheme });
    for (const size of [NARROW, WIDE]) {
      await page.setViewportSize(size);
      const { violations } = await page.evaluate(() => window.axe.run({ resultTypes: ["violations"] }));
      const found = violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 200)}`));
      expect(found, `${colorScheme}, ${size.width} wide`).toEqual([]);
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      expect(width, "wider than the screen").toBeLessThanOrEqual(size.width);
    }
  }
}

const deeds = {
  open: async (url) => {
    await page.goto(url);
    await page.locator('[data-line="live"]').waitFor();
  },
  visit: (url) => page.goto(url),
  reload: () => page.reload(),
  card: async (id) => {
    place = page.locator(`[data-ask="${id}"]`);
    await place.waitFor();
  },
  unfold: async (id) => {
    await deeds.card(id);
    await page.evaluate((id) => (location.hash = `#/ask/${id}`), id);
  },
  page: () => {
    place = page;
  },
  follow: (name) => page.getByRole("link", { name }).first().click(),
  section: async (name) => {
    place = page.getByRole("group", { name });
    await place.waitFor();
  },
  part: async (selector) => {
    place = page.locator(selector).first();
    await place.waitFor();
  },
  check: (label) => place.getByLabel(label).first().check(),
  type: (text) => page.keyboard.type(text),
  fill: (label, text) => place.getByLabel(label).fill(text),
  click: (name) => place.getByRole("button", { name, exact: true }).click(),
  see: (text) => reading(text).first().waitFor(),
  gone: (text) => patiently(reading(text)).toHaveCount(0),
  without: (name) => patiently(place.getByRole("button", { name, exact: true })).toHaveCount(0),
  focused: (label) => patiently(place.getByLabel(label)).toBeFocused(),
  holds: (label, text) => patiently(place.getByLabel(label)).toHaveValue(text),
  checked: (label) => patiently(place.getByLabel(label).first()).toBeChecked(),
  accessible: isAccessible,
  hold: (part) =>
    page.route(`**/*${part}*`, async (route) => {
      held.asked += 1;
      const response = await route.fetch();
      await new Promise((release) => held.answered.push(release));
      await route.fulfill({ response });
    }),
  held: (count) => patiently.poll(() => [held.asked, held.answered.length].join()).toBe(`${count},${count}`),
  release: async () => {
    await page.unrouteAll({ behavior: "ignoreErrors" });
    held.asked = 0;
    for (const release of held.answered.splice(0)) release();
  },
  offline: () => page.context().setOffline(true),
  online: () => page.context().setOffline(false),
  enabled: (name) => patiently(control(name)).toBeEnabled(),
  disabled: (name) => patiently(control(name)).toBeDisabled(),
};

for await (const line of createInterface(process.stdin)) {
  const [deed, ...rest] = JSON.parse(line);
  try {
    await deeds[deed](...rest);
    if (troubles.length) throw new Error(`the page failed: ${troubles.join("; ")}`);
    console.log("done");
  } catch (error) {
    const shown = await page.locator("body").innerText().catch(() => "nothing");
    console.log(JSON.stringify(`${error}\nThe page shows:\n${shown}`));
  }
}
await browser.close();
