/** What choosing an option would look like: drawings, Markdown, and pages that can do nothing. */

import { card, enter, expect, fits, option, test as base } from "./fixtures.ts";
import { layout } from "./questions.ts";
import { Elsewhere } from "./server.ts";

const test = base.extend<{ elsewhere: Elsewhere }>({
  elsewhere: async ({}, use) => {
    const elsewhere = await Elsewhere.start("<p>elsewhere</p>");
    await use(elsewhere);
    await elsewhere.end();
  },
});

const one = (preview: string) => ({ question: "Like this?", header: "Look", multiSelect: false, options: [{ label: "This", preview }, { label: "Not" }] });

test("previews stand side by side where there is room, and below each other where there is not", async ({ page, hub }) => {
  const ask = await hub.ask({ questions: [layout] });
  await enter(page, hub);
  const figures = card(page, ask).getByRole("figure");
  await expect(figures).toHaveCount(3);
  const places = () => figures.evaluateAll((all) => all.map((one) => one.getBoundingClientRect()).map(({ left, top }) => ({ left: Math.round(left), top: Math.round(top) })));
  const wide = await places();
  expect(wide[1]!.top).toBe(wide[0]!.top);
  expect(wide[1]!.left).toBeGreaterThan(wide[0]!.left);

  await page.setViewportSize({ width: 375, height: 667 });
  const narrow = await places();
  expect(narrow[1]!.left).toBe(narrow[0]!.left);
  expect(narrow[1]!.top).toBeGreaterThan(narrow[0]!.top);
  await fits(page);
});

test("a drawing keeps its shape", async ({ page, hub }) => {
  const ask = await hub.ask({ questions: [layout] });
  await enter(page, hub);
  const drawing = card(page, ask).getByRole("group", { name: "Preview of Sidebar" });
  await expect(drawing).toHaveText(layout.options![0]!.preview!, { useInnerText: true });
  const style = await drawing.evaluate((found) => ({ tag: found.tagName, space: getComputedStyle(found).whiteSpace, font: getComputedStyle(found).fontFamily }));
  expect(style).toMatchObject({ tag: "PRE", space: expect.stringMatching(/^pre/), font: expect.stringContaining("mono") });
});

test("Markdown is rendered, and its source can be seen", async ({ page, hub }) => {
  const ask = await hub.ask({ questions: [layout] });
  await enter(page, hub);
  const figure = card(page, ask).getByRole("figure").nth(1);
  await expect(figure.getByRole("listitem")).toHaveText(["Fast to reach", "nav above"]);
  await expect(figure.locator("strong")).toHaveText("Fast");
  await expect(figure.getByText("<nav>…</nav>")).toBeVisible();
  await figure.getByRole("button", { name: "Show the source" }).click();
  await expect(figure.getByText("- **Fast** to reach")).toBeVisible();
  await figure.getByRole("button", { name: "Show it rendered" }).click();
  await expect(figure.getByRole("listitem")).toHaveCount(2);
});

test("a page is shown in a frame without any permission, with its own style", async ({ page, hub }) => {
  const ask = await hub.ask({ questions: [one('<style>p { color: rgb(1, 2, 3) }</style><p style="font-weight: 700">Hello</p>')] });
  await enter(page, hub);
  const frame = card(page, ask).locator("iframe");
  await expect(frame).toHaveAttribute("sandbox", "");
  await expect(frame).toHaveAttribute("title", "Preview of This");
  const text = card(page, ask).frameLocator("iframe").getByText("Hello");
  await expect(text).toHaveCSS("font-weight", "700");
  await expect(text).toHaveCSS("color", "rgb(1, 2, 3)");
});

test("a page of an agent's runs nothing, fetches nothing and goes nowhere", async ({ page, hub, watch, elsewhere }) => {
  // Each of these is refused by the frame's own policy, and said so in the console.
  // Playwright calls those requests, too, which the browser refuses to make: what counts is who was asked.
  watch.allow(/Content Security Policy/, /Blocked script execution/, /Refused to/, /Blocked form submission/, /sandboxed/);
  watch.allow(/request elsewhere: \S+\/(style|prefetch|import|image|poster|svg|font|background)$/);
  const trap = elsewhere.url;
  const preview = `<div>
    <p id="still">Still here</p>
    <script>document.title = "pwned"; parent.pwned = 1; fetch("${trap}/fetch"); new Image().src = "${trap}/new-image"</script>
    <img src="${trap}/image" onerror="parent.pwned = 1">
    <link rel="stylesheet" href="${trap}/style"><link rel="prefetch" href="${trap}/prefetch"><link rel="preconnect" href="${trap}">
    <style>@import "${trap}/import"; @font-face { font-family: f; src: url("${trap}/font") } p { font-family: f; background: url("${trap}/background") }</style>
    <iframe src="${trap}/frame"></iframe><object data="${trap}/object"></object><embed src="${trap}/embed">
    <video src="${trap}/video" poster="${trap}/poster"></video><audio src="${trap}/audio" autoplay></audio>
    <svg><image href="${trap}/svg"/></svg>
    <form action="${trap}/form" target="_top"><button autofocus>send</button></form>
    <a href="${trap}/top" target="_top">away</a><a href="${trap}/blank" target="_blank">new</a><a href="javascript:parent.pwned = 1">run</a>
    </div>`;
  const ask = await hub.ask({ questions: [one(preview)] });
  await enter(page, hub);
  const inside = card(page, ask).frameLocator("iframe");
  await expect(inside.getByText("Still here")).toBeVisible();
  const address = page.url();
  for (const name of ["away", "new", "run", "send"]) await inside.getByText(name, { exact: true }).click();
  await expect(inside.getByText("Still here")).toBeVisible();
  expect(page.url()).toBe(address);
  expect(page.context().pages()).toHaveLength(1);
  expect(await page.evaluate(() => "pwned" in window)).toBe(false);
  await option(card(page, ask), "This").check();
  expect(elsewhere.asked).toEqual([]);
});

test("a page that wants to be elsewhere at once stays", async ({ page, hub, watch, elsewhere }) => {
  watch.allow(/Content Security Policy/, /Refused to/, /Blocked script execution/, /request elsewhere/, /sandboxed/);
  const preview = `<html><head><meta http-equiv="refresh" content="0; url=${elsewhere.url}/refresh"></head><body><p>Here I stay</p></body></html>`;
  const ask = await hub.ask({ questions: [one(preview)] });
  await enter(page, hub);
  await expect(card(page, ask).frameLocator("iframe").getByText("Here I stay")).toBeVisible();
  // A frame that had gone would have shown this instead.
  await option(card(page, ask), "This").check();
  await expect(card(page, ask).frameLocator("iframe").getByText("elsewhere")).toHaveCount(0);
  expect(elsewhere.asked).toEqual([]);
});

test("the source of a page can be seen, and the page again", async ({ page, hub }) => {
  const ask = await hub.ask({ questions: [one("<div>Hello</div>")] });
  await enter(page, hub);
  const it = card(page, ask);
  await expect(it.frameLocator("iframe").getByText("Hello")).toBeVisible();
  await it.getByRole("button", { name: "Show the source" }).click();
  await expect(it.getByRole("group", { name: "Preview of This" })).toHaveText("<div>Hello</div>");
  await expect(it.locator("iframe")).toHaveCount(0);
  await it.getByRole("button", { name: "Show it rendered" }).click();
  await expect(it.frameLocator("iframe").getByText("Hello")).toBeVisible();
});

test("a preview that cannot be fetched is shown as its source", async ({ page, hub, watch }) => {
  watch.allowCuts();
  await page.route(/\/previews$/, (route) => route.abort());
  const ask = await hub.ask({ questions: [one("<div>Hello</div>")] });
  await enter(page, hub);
  await expect(card(page, ask).getByRole("group", { name: "Preview of This" })).toHaveText("<div>Hello</div>");
});
