/** Whatever an agent says in a session stays text, and in its place. */

import type { Page } from "@playwright/test";

import { enter, expect, fits, test } from "./fixtures.ts";
import { Runner } from "./runner.ts";

const IMAGE = '<img src=x onerror="window.pwned = 1">';
const SCRIPT = "</script><script>window.pwned = 1</script>";
const STEERING = "safe\u202Egnp.exe\u200B \u001b[31mred\u001b[0m\u0007";
const SHOWN = "safe<U+202E>gnp.exe<U+200B> ␛[31mred␛[0m␇";

async function isInert(page: Page): Promise<void> {
  expect(await page.evaluate(() => "pwned" in window)).toBe(false);
  await expect(page.locator("main img, main script, main [onerror]")).toHaveCount(0);
}

test("tags and control characters are text wherever an agent can write them in a session", async ({ page, hub }) => {
  const evil = `${IMAGE} ${SCRIPT} ${STEERING}`;
  const runner = await Runner.begin(hub, { title: `T ${evil}`, directory: `/tmp/D ${IMAGE}`, host: `H ${IMAGE}` });
  await runner.hear(`U ${IMAGE} ${SCRIPT} visible`);
  await runner.say("a1", `A ${evil} [x](javascript:window.pwned=1) ![p](http://evil.example/p.png)`);
  await runner.tool("t1", "failed", `N ${IMAGE}`, `I ${evil}`, `R ${evil}`);
  await runner.note("n1", `O ${evil}`);
  await runner.tell({ state: "stopped", trouble: `W ${evil}` });
  await enter(page, hub);
  await page.getByRole("link", { name: "Sessions" }).click();
  await expect(page.locator(`[data-session="${runner.id}"]`)).toContainText(`T ${IMAGE} ${SCRIPT} ${SHOWN}`);
  await expect(page.locator(`[data-session="${runner.id}"]`)).toContainText(`W ${IMAGE}`);
  await isInert(page);
  await page.locator(`[data-session="${runner.id}"]`).click();
  await expect(page.getByRole("heading", { level: 1 })).toContainText(`T ${IMAGE} ${SCRIPT} ${SHOWN}`);
  await page.locator("summary").click();
  for (const text of [`U ${IMAGE}`, `A ${IMAGE}`, `N ${IMAGE}`, `R ${IMAGE}`, `O ${IMAGE}`, `W ${IMAGE}`, `/tmp/D ${IMAGE}`]) {
    await expect(page.locator("main")).toContainText(text);
  }
  await expect(page.locator("[data-key=n1]")).toContainText(SHOWN);
  await expect(page.locator("[data-key=a1] a")).toHaveCount(0);
  await runner.tell({ state: "working" });
  await runner.stream("a2", "", `S ${evil}`);
  await expect(page.locator("[data-message=speaking]")).toContainText(`S ${IMAGE} ${SCRIPT} ${SHOWN}`);
  await isInert(page);
  await page.setViewportSize({ width: 320, height: 568 });
  await fits(page);
});

test("long words, long lines and a megabyte stay in the page, and the page stays usable", async ({ page, hub }) => {
  const runner = await Runner.begin(hub, { title: "x".repeat(900), directory: `/home/${"deep/".repeat(200)}` });
  await runner.hear("u".repeat(1_000_000));
  await runner.say("a1", "y".repeat(1_000_000));
  await runner.say("a2", `${"z".repeat(5_000)}\n\n\`\`\`\n${"c".repeat(5_000)}\n\`\`\`\n\n| ${"t".repeat(3_000)} | b |\n|---|---|\n| c | d |`);
  await runner.tool("t1", "done", "N".repeat(2_000), "i".repeat(400_000), "line\n".repeat(100_000));
  await runner.note("n1", "n".repeat(100_000));
  await runner.tell({ state: "stopped", trouble: "w".repeat(10_000) });
  await page.setViewportSize({ width: 320, height: 568 });
  await enter(page, hub);
  await page.getByRole("link", { name: "Sessions" }).click();
  await expect(page.locator(`[data-session="${runner.id}"]`)).toBeVisible();
  await fits(page);
  await page.locator(`[data-session="${runner.id}"]`).click();
  await expect(page.locator("[data-key=n1]")).toBeVisible();
  await fits(page);
  await page.locator("summary").click();
  await expect(page.getByRole("group", { name: /^Result of/ })).toBeVisible();
  await fits(page);
  // Nothing takes more than a screen or two for itself.
  const tallest = await page.locator("[data-message]").evaluateAll((all) => Math.max(...all.map((one) => one.getBoundingClientRect().height)));
  expect(tallest).toBeLessThan(6_000);
  const field = page.getByRole("textbox", { name: "Your words to Claude" });
  await field.fill("Please be brief.");
  await field.press("Enter");
  await expect(page.locator("[data-message=user]").last()).toContainText("Please be brief.");
});

test("text from right to left and marks that pile up stay in their line", async ({ page, hub }) => {
  const runner = await Runner.begin(hub, { title: "שלום" });
  await runner.hear("مرحبا بالعالم، with English");
  await runner.say("a1", `Z${"\u0301".repeat(400)}algo`);
  await runner.tool("t1", "done", "קרא", "שלום/עולם.ts");
  await enter(page, hub);
  await page.goto(`${hub.url}/#/sessions/${runner.id}`);
  await expect(page.locator("[data-message=user]")).toContainText("مرحبا بالعالم");
  const shown = (await page.locator("[data-key=a1]").textContent()) ?? "";
  expect((shown.match(/\p{M}/gu) ?? []).length).toBeLessThanOrEqual(8);
  await page.setViewportSize({ width: 320, height: 568 });
  await fits(page);
});
