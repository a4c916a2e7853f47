/** While the hub is away another program may listen at its port: an open page gives it nothing that is worth anything. */

import type { Page } from "@playwright/test";

import { answer, answersOf, card, enter, expect, isLive, isOffline, option, submit, test } from "./fixtures.ts";
import { Impostor, relay } from "./impostor.ts";
import { database } from "./questions.ts";

const tokenOf = (page: Page) => page.evaluate(() => (JSON.parse(localStorage["handraise.session"]) as { token: string }).token);
const challenges = (impostor: Impostor) => impostor.heard.filter((one) => one.includes("nonce")).length;
const isWarned = (page: Page) => expect(page.getByRole("alert").filter({ hasText: "does not know this browser, and was sent no token" })).toBeVisible();

for (const [what, reply] of [
  ["says nothing", () => null],
  ["forges a proof", () => JSON.stringify({ proof: "0".repeat(64), upMilliseconds: 10_000 })],
  ["echoes", (frame: string) => frame],
  ["welcomes the page", () => '{"ticket":"x"}'],
  ["talks nonsense", () => "hello"],
] as const) {
  test(`a program that ${what} at the hub's port gets no token, and the page works again after it`, async ({ page, hub, watch }) => {
    watch.allowCuts();
    let ticket = "";
    page.on("request", (request) => (ticket = request.headers()["authorization"] ?? ticket));
    const ask = await hub.ask({ questions: [database] });
    await enter(page, hub);
    const token = await tokenOf(page);
    expect(ticket).toMatch(/^Bearer /);
    expect(ticket).not.toContain(token);
    const before = ticket;
    await hub.kill();
    const impostor = await Impostor.start(hub.address, reply);
    await expect.poll(() => challenges(impostor)).toBeGreaterThan(0);
    if (what !== "says nothing") {
      await isWarned(page);
      await page.getByRole("button", { name: "Try now" }).click();
      await expect.poll(() => challenges(impostor)).toBeGreaterThan(1);
    }
    // No other request goes there, except one that was under way when the hub ended: its ticket ended, too.
    await page.evaluate(() => (location.hash = "#/history"));
    await expect(page.getByRole("main").getByText("The hub cannot be reached.", { exact: true })).toBeVisible();
    expect(impostor.heard.filter((one) => /history\?(?!.*doubted)/.test(one))).toEqual([]);
    await page.evaluate(() => (location.hash = "#/"));
    impostor.end();
    const heard = impostor.heard.join("\n");
    expect(heard).not.toContain(token);

    await hub.launch();
    await isLive(page);
    await expect(page.getByText("does not know this browser")).toHaveCount(0);
    const late = await fetch(`${hub.url}/api/v1/status`, { headers: { authorization: before } });
    expect(late.status, "a ticket is gone with its hub").toBe(401);
    await option(card(page, ask), "SQLite").check();
    await submit(card(page, ask)).click();
    expect(await answersOf(hub, ask)).toEqual([answer(["SQLite"])]);
  });
}

test("a program that relays to the hub at another port does not get the token", async ({ page, hub, watch }) => {
  watch.allowCuts();
  await enter(page, hub);
  const token = await tokenOf(page);
  await hub.kill();
  const elsewhere = await hub.launchAt("127.0.0.1:0");
  const relayed: string[] = [];
  const impostor = await Impostor.start(hub.address, (frame, line) => {
    // Under the hub's name and under the page's.
    const origin = relayed.length % 2 ? hub.url : elsewhere;
    relay(elsewhere.replace("http://", ""), origin, frame).then(
      (said) => (relayed.push(said), line.say(said)),
      (error) => (relayed.push(String(error)), line.say("{}")),
    );
    return null;
  });
  await expect.poll(() => relayed.length, { timeout: 15_000 }).toBeGreaterThan(3);
  expect(relayed.some((said) => said.includes("upMilliseconds")), "the hub answered").toBe(true);
  expect(relayed.some((said) => said.includes("foreign_origin")), "or refused").toBe(true);
  await isWarned(page);
  impostor.end();
  expect(impostor.heard.join("\n")).not.toContain(token);
  await hub.kill();
  await hub.launch();
  await isLive(page);
});

test("a program that held the line until the hub was back, and relays then, does not get the token", async ({ page, hub, watch }) => {
  watch.allowCuts();
  await enter(page, hub);
  const token = await tokenOf(page);
  await hub.kill();
  let challenge = "";
  const impostor = await Impostor.start(hub.address, (frame) => ((challenge ||= frame), null));
  await expect.poll(() => challenges(impostor)).toBe(1);
  impostor.free();
  await hub.launch();
  const said = await relay(hub.address, hub.url, challenge);
  expect(JSON.parse(said)).toHaveProperty("proof");
  impostor.lines[0]!.say(said);
  await isLive(page);
  expect(impostor.heard.join("\n")).not.toContain(token);
  impostor.end();
});

test("a link that a known browser did not need is not given to a program at the hub's port", async ({ page, hub, watch }) => {
  watch.allowCuts();
  await enter(page, hub);
  // Opened for good, as from a terminal: the page is loaded with it.
  await page.goto("about:blank");
  await page.goto(await hub.link());
  await isLive(page);
  const token = await tokenOf(page);
  await hub.kill();
  const impostor = await Impostor.start(hub.address, () => JSON.stringify({ proof: "0".repeat(64), upMilliseconds: 10_000 }));
  await isWarned(page);
  await expect.poll(() => challenges(impostor)).toBeGreaterThan(1);
  expect(impostor.heard.filter((one) => one.includes("login"))).toEqual([]);
  impostor.end();
  await hub.launch();
  await isLive(page);
  expect(await tokenOf(page)).toBe(token);
});

test("a browser the hub knows no more can log in again: by the page, and with a fresh link", async ({ page, hub, watch }) => {
  watch.allowCuts();
  const revoke = async () => {
    const mine = (await hub.devices()).find((device) => device.name.includes("Chrome"));
    await page.context().setOffline(true);
    await isOffline(page);
    await hub.call("person", "DELETE", `devices/${mine?.id}`);
    // After that it does not know whom it has revoked.
    await hub.kill();
    await hub.launch();
    await page.context().setOffline(false);
    await isWarned(page);
  };
  await enter(page, hub);
  await revoke();
  await page.getByRole("button", { name: "Log in again" }).click();
  await page.getByRole("textbox", { name: "Or paste the link" }).fill(await hub.link());
  await page.getByRole("button", { name: "Log in" }).click();
  await isLive(page);
  await revoke();
  await page.goto(await hub.link());
  await isLive(page);
  await page.goto("about:blank");
  await enter(page, hub);
});
