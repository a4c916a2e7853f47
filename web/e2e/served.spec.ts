/** What the hub serves to a browser, and under which rules. */

import { expect, test } from "./fixtures.ts";

const POLICY = "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

test("the page is asked for anew each time, and may load only from here", async ({ hub, request }) => {
  const response = await request.get(hub.url);
  expect(response.status()).toBe(200);
  expect(response.headers()).toMatchObject({
    "content-security-policy": POLICY,
    "cache-control": "no-cache",
    "x-frame-options": "DENY",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
  });
});

test("what the page loads is kept for good, and under the same rules", async ({ page, hub }) => {
  const loaded: { url: string; headers: Record<string, string> }[] = [];
  page.on("response", (response) => {
    if (response.url().includes("/assets/")) loaded.push({ url: response.url(), headers: response.headers() });
  });
  await page.goto(hub.url);
  await expect(page.getByRole("button", { name: "Log in" })).toBeVisible();
  expect(loaded.map(({ url }) => url.split(".").at(-1)).sort()).toEqual(["css", "js"]);
  for (const { headers } of loaded) {
    expect(headers).toMatchObject({ "cache-control": "public, max-age=31536000, immutable", "content-security-policy": POLICY, "content-encoding": "gzip" });
  }
});

test("what is not there is a 404 and no page", async ({ hub, request }) => {
  for (const path of ["/assets/nope.js", "/nope", "/assets/../index.html.map"]) {
    const response = await request.get(`${hub.url}${path}`);
    expect(response.status(), path).toBe(404);
    expect(response.headers()["content-type"], path).toContain("application/problem+json");
  }
});

test("the page breaks none of its own rules while it is loaded and used", async ({ page, hub }) => {
  await page.addInitScript(() => {
    const broken: string[] = [];
    Object.assign(window, { broken });
    document.addEventListener("securitypolicyviolation", (event) => broken.push(`${event.violatedDirective}: ${event.blockedURI}`));
  });
  await page.goto(await hub.link());
  for (const name of ["History", "Devices", "Waiting"]) {
    await page.getByRole("link", { name }).click();
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  }
  expect(await page.evaluate(() => (window as unknown as { broken: string[] }).broken)).toEqual([]);
});
