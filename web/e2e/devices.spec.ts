/** Who may answer: devices, seen and revoked, and a link for the next. */

import type { Page } from "@playwright/test";

import { enter, expect, isLive, test } from "./fixtures.ts";

const row = (page: Page, id: string | undefined) => page.locator(`[data-device="${id}"]`);
const own = (page: Page) => page.evaluate(() => (JSON.parse(localStorage.getItem("handraise.session") ?? "{}") as { device: { id: string } }).device.id);

test("devices are listed, and this one is marked", async ({ page, hub, another }) => {
  await enter(page, hub);
  await page.getByRole("link", { name: "Devices" }).click();
  await expect(row(page, await own(page))).toContainText("this device");
  await expect(page.getByText("this device", { exact: true })).toHaveCount(1);
  // Another one appears by itself.
  const phone = await another();
  await enter(phone, hub);
  await expect(row(page, await own(phone))).toContainText("Chrome on Linux");
  const names = await page.getByRole("list", { name: "Paired devices" }).getByRole("listitem").locator(".name").allTextContents();
  expect(new Set(names).size).toBe(names.length);
});

test("another device that is revoked is out at once", async ({ page, hub, another, watch }) => {
  watch.allow(/401/);
  const phone = await another();
  await enter(page, hub);
  await enter(phone, hub);
  const id = await own(phone);
  await page.getByRole("link", { name: "Devices" }).click();
  await row(page, id).getByRole("button", { name: /^Revoke/ }).click();
  expect((await hub.devices()).map((device) => device.id)).toContain(id);
  await row(page, id).getByRole("button", { name: "Revoke for good" }).click();
  await expect(row(page, id)).toHaveCount(0);
  await expect(phone.getByText("This browser is not logged in any more")).toBeVisible();
  await isLive(page);
});

test("thinking better of it revokes nothing", async ({ page, hub }) => {
  await enter(page, hub);
  const id = await own(page);
  await page.getByRole("link", { name: "Devices" }).click();
  await row(page, id).getByRole("button", { name: /^Revoke/ }).click();
  await row(page, id).getByRole("button", { name: "Keep" }).click();
  await expect(row(page, id).getByRole("button", { name: /^Revoke Chrome/ })).toBeVisible();
  expect((await hub.devices()).map((device) => device.id)).toContain(id);
});

test("one's own device can be revoked, and is then logged out", async ({ page, hub, watch }) => {
  watch.allow(/401/);
  await enter(page, hub);
  const id = await own(page);
  await page.getByRole("link", { name: "Devices" }).click();
  await row(page, id).getByRole("button", { name: /^Revoke/ }).click();
  await row(page, id).getByRole("button", { name: "Revoke, and log out" }).click();
  await expect(page.getByText("This browser is not logged in any more")).toBeVisible();
  expect(await page.evaluate(() => localStorage.getItem("handraise.session"))).toBeNull();
  expect((await hub.devices()).map((device) => device.id)).not.toContain(id);
});

test("a new link is drawn as a QR code, module by module, and lets another device in", async ({ page, hub, another }) => {
  await enter(page, hub);
  await page.getByRole("link", { name: "Devices" }).click();
  const answered = page.waitForResponse(/\/links$/);
  await page.getByRole("button", { name: "New link" }).click();
  const { url, qr } = (await (await answered).json()) as { url: string; qr: string };
  await expect(page.getByText(url)).toBeVisible();
  await expect(page.getByText(/^Works for (10:00|9:\d\d) more\.$/)).toBeVisible();

  const picture = page.getByRole("img", { name: "The link as a QR code" });
  const drawn = await picture.evaluate((svg: SVGSVGElement) => {
    const size = svg.viewBox.baseVal.width - 8;
    const rows = Array.from({ length: size }, () => Array<string>(size).fill("0"));
    for (const [, x, y] of svg.querySelector("path")!.getAttribute("d")!.matchAll(/M(\d+) (\d+)h1v1h-1z/g)) rows[Number(y) - 4]![Number(x) - 4] = "1";
    return rows.map((row) => row.join("")).join("\n");
  });
  expect(drawn).toBe(qr.trim());
  // Readers need it black on white, whatever the page's colours are.
  await page.emulateMedia({ colorScheme: "dark" });
  await expect(picture.locator("rect")).toHaveCSS("fill", "rgb(255, 255, 255)");
  await expect(picture.locator("path")).toHaveCSS("fill", "rgb(0, 0, 0)");

  const phone = await another();
  await phone.goto(url);
  await isLive(phone);
  await page.getByRole("button", { name: "Hide it" }).click();
  await expect(page.getByText(url)).toHaveCount(0);
});
