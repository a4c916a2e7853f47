/** Who gets in, with what, and who does not. */

import { card, enter, expect, isLive, test as base } from "./fixtures.ts";
import { database } from "./questions.ts";
import { Elsewhere } from "./server.ts";

const test = base.extend<{ elsewhere: Elsewhere }>({
  elsewhere: async ({}, use) => {
    const elsewhere = await Elsewhere.start("<title>elsewhere</title><p>Somebody else's page</p>");
    await use(elsewhere);
    await elsewhere.end();
  },
});

test("a link lets in, and its secret is nowhere afterwards", async ({ page, hub, context }) => {
  const link = await hub.link();
  const secret = link.split("#login=")[1]!;
  const requests: string[] = [];
  context.on("request", (request) => requests.push(request.url()));
  await page.goto(link);
  await isLive(page);
  expect(page.url()).not.toContain("login");
  expect(await page.evaluate(() => location.href)).not.toContain("login");
  expect(requests.join()).not.toContain(secret);
  // Nothing to go back to, either.
  expect(await page.evaluate(() => history.length)).toBe(2);
  await page.goBack();
  expect(page.url()).toBe("about:blank");
  await page.goForward();
  await isLive(page);
  expect(page.url()).not.toContain("login");
});

test("the secret leaves the address even when the hub refuses or is slow", async ({ page, hub, watch }) => {
  watch.allowCuts();
  await page.route(/\/login$/, () => {});
  await page.goto(await hub.link());
  await expect(page.getByText("Logging in…")).toBeVisible();
  expect(page.url()).toBe(`${hub.url}/`);
});

test("nothing is in cookies, and the token only where scripts of this page read it", async ({ page, hub, context }) => {
  await enter(page, hub);
  expect(await context.cookies()).toEqual([]);
  const kept = await page.evaluate(() => ({ local: Object.keys(localStorage), session: Object.keys(sessionStorage) }));
  expect(kept).toEqual({ local: ["handraise.session"], session: [] });
  await page.reload();
  await isLive(page);
});

test("a link that was used is refused in plain words", async ({ page, hub, another, watch }) => {
  watch.allow(/401/);
  const link = await hub.link();
  await page.goto(link);
  await isLive(page);
  const second = await another();
  await second.goto(link);
  await expect(second.getByRole("alert")).toHaveText("This link is unknown, was used, or is too old. Get a new one with: handraise link");
  await expect(second.locator("[data-line]")).toHaveCount(0);
  expect(await second.evaluate(() => localStorage.length)).toBe(0);
});

test("a link can be pasted, and what is no link is said to be none", async ({ page, hub }) => {
  await page.goto(hub.url);
  await expect(page.getByText("handraise link", { exact: true })).toBeVisible();
  const field = page.getByRole("textbox", { name: "Or paste the link" });
  await field.fill("hello");
  await field.press("Enter");
  await expect(page.getByRole("alert")).toHaveText("That is no login link. It looks like http://…/#login=…");
  await field.fill(`  ${await hub.link()} `);
  await field.press("Enter");
  await isLive(page);
});

test("a link opened in a page that waits for one lets it in", async ({ page, hub }) => {
  await page.goto(hub.url);
  await expect(page.getByRole("button", { name: "Log in" })).toBeVisible();
  const link = await hub.link();
  await page.evaluate((link) => (location.href = link), link);
  await isLive(page);
  expect(page.url()).not.toContain("login");
});

test("a link made at an ask leads to it, also when it has ended", async ({ hub, another }) => {
  const asks = [];
  for (let n = 0; n < 5; n++) asks.push(await hub.ask({ questions: [database] }));
  const ask = asks.at(-1)!;
  const first = await another();
  await first.goto(await hub.link(ask.id));
  await isLive(first);
  await expect(card(first, ask)).toBeFocused();
  expect(first.url()).toBe(`${hub.url}/#/ask/${ask.id}`);
  // Nothing to go back to, either.
  expect(await first.evaluate(() => history.length)).toBe(2);
  await hub.answer(ask.id, { answers: [{ selected: ["SQLite"] }] });
  const second = await another();
  await second.goto(await hub.link(ask.id));
  await expect(second.locator(`[data-past="${ask.id}"]`)).toHaveAttribute("open");
  expect(second.url()).toBe(`${hub.url}/#/history/${ask.id}`);
});

test("a hub that is not there is said not to be there", async ({ page, hub, watch }) => {
  watch.allowCuts();
  await page.goto(hub.url);
  const link = await hub.link();
  await hub.kill();
  await page.getByRole("textbox", { name: "Or paste the link" }).fill(link);
  await page.getByRole("button", { name: "Log in" }).click();
  await expect(page.getByRole("alert")).toContainText("The hub cannot be reached.");
});

test("somebody else's page can neither read nor answer, whatever it sends along", async ({ page, hub, elsewhere, watch }) => {
  watch.allow(/./);
  const ask = await hub.ask({ questions: [database] });
  await enter(page, hub);
  // In the same browser, so that it has whatever the browser would send by itself.
  const foreign = await page.context().newPage();
  await foreign.goto(elsewhere.url);
  const token = hub.token("person");
  const tries = await foreign.evaluate(
    async ({ url, token, id }) => {
      const outcome = async (what: () => Promise<Response>) => {
        try {
          const response = await what();
          return response.type === "opaque" ? "opaque" : `read: ${response.status} ${await response.text()}`;
        } catch {
          return "refused";
        }
      };
      const answer = JSON.stringify({ answers: [{ selected: ["SQLite"], words: null, notes: null, leftOpen: false }] });
      const bearer = { authorization: `Bearer ${token}` };
      const socket = () =>
        new Promise<string>((resolve) => {
          const line = new WebSocket(`${url.replace("http", "ws")}/api/v1/events?after=0`);
          line.onopen = () => line.send(JSON.stringify({ token }));
          line.onmessage = () => resolve("heard");
          line.onclose = () => resolve("closed");
        });
      return {
        plain: await outcome(() => fetch(`${url}/api/v1/asks`)),
        stolen: await outcome(() => fetch(`${url}/api/v1/asks`, { headers: bearer })),
        cookies: await outcome(() => fetch(`${url}/api/v1/asks`, { credentials: "include" })),
        quiet: await outcome(() => fetch(`${url}/api/v1/asks/${id}/answer`, { method: "POST", mode: "no-cors", body: answer })),
        loud: await outcome(() => fetch(`${url}/api/v1/asks/${id}/answer`, { method: "POST", headers: { ...bearer, "content-type": "application/json" }, body: answer })),
        socket: await socket(),
      };
    },
    { url: hub.url, token, id: ask.id },
  );
  expect(tries).toEqual({ plain: "refused", stolen: "refused", cookies: "refused", quiet: "opaque", loud: "refused", socket: "closed" });
  expect((await hub.get(ask.id)).state).toBe("open");
  await expect(card(page, ask)).toHaveAttribute("data-state", "open");
});

test("nobody frames the dashboard", async ({ page, hub, elsewhere, watch }) => {
  watch.allow(/frame/i, /request elsewhere/, /Content Security Policy/, /favicon/, /404/);
  await enter(page, hub);
  const foreign = await page.context().newPage();
  await foreign.goto(elsewhere.url);
  await foreign.evaluate((url) => {
    const frame = document.createElement("iframe");
    frame.src = url;
    document.body.append(frame);
    return new Promise((resolve) => (frame.onload = resolve));
  }, hub.url);
  const frame = foreign.frames()[1]!;
  expect(frame.url()).toMatch(/^(chrome-error:|about:)/);
  await expect(foreign.frameLocator("iframe").locator("[data-line]")).toHaveCount(0);
});
