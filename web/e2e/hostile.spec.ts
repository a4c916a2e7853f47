/** Agents write what they like. Nothing of it runs, hides, or breaks the page. */

import type { Page } from "@playwright/test";

import { answer, answersOf, card, enter, expect, fits, option, ownWords, submit, test } from "./fixtures.ts";
import { database } from "./questions.ts";

const IMAGE = '<img src=x onerror="window.pwned = 1">';
const SCRIPT = "</script><script>window.pwned = 1</script>";

async function isInert(page: Page): Promise<void> {
  expect(await page.evaluate(() => "pwned" in window)).toBe(false);
  await expect(page.locator("main img, main script, main [onerror]")).toHaveCount(0);
}

for (const [name, text] of Object.entries({
  "an image with a handler": IMAGE,
  "a script": SCRIPT,
  "templates of other frameworks": "{{constructor.constructor('window.pwned = 1')()}} ${window.pwned = 1} {@html '<b>'}",
})) {
  test(`${name} is text wherever an agent can write it`, async ({ page, hub }) => {
    const ask = await hub.ask({
      questions: [{ question: `Which ${text}?`, header: `H ${text}`, multiSelect: false, options: [{ label: `L ${text}`, description: `D ${text}` }, { label: "b", description: "c" }] }],
      asker: { directory: `/tmp/dir ${text.replaceAll("/", "∕")}`, title: `T ${text}`, branch: `B ${text}`, host: `M ${text}`, preamble: `P ${text}`, agent: `A ${text}` },
    });
    await enter(page, hub);
    const it = card(page, ask);
    for (const where of ["Which", "H", "L", "D", "T", "B", "M", "P"]) {
      await expect(it.getByText(`${where} ${text}`).first()).toBeVisible();
    }
    await expect(it.getByRole("heading", { level: 2 })).toContainText(`A ${text} is asking`);
    await isInert(page);

    await option(it, "L <").or(option(it, "L {")).or(option(it, "L $")).first().check();
    await submit(it).click();
    expect(await answersOf(hub, ask)).toEqual([answer([`L ${text}`])]);
    await expect(it).toContainText("Stored.");
    await isInert(page);
    await page.getByRole("link", { name: "History" }).click();
    await page.locator("summary").click();
    await expect(page.getByText(`D ${text}`)).toBeVisible();
    await isInert(page);
  });
}

test("hostile text in an approval and in what the model read is text", async ({ page, hub }) => {
  const ask = await hub.ask({
    approval: { tool: `Bash ${IMAGE}`, input: { [`key ${IMAGE}`]: `value ${SCRIPT}`, nested: { deep: [IMAGE] } }, description: `D ${IMAGE}`, suggestions: [{ rule: IMAGE }] },
  });
  await enter(page, hub);
  const it = card(page, ask);
  for (const text of [`key ${IMAGE}`, `value ${SCRIPT}`, `D ${IMAGE}`]) await expect(it.getByText(text).first()).toBeVisible();
  await expect(it.getByRole("heading", { level: 2 })).toContainText(`wants to use Bash ${IMAGE}`);
  await it.getByRole("button", { name: "Allow", exact: true }).click();
  await expect(it).toContainText("Stored.");
  await hub.receipt(ask.id, { level: "seen", text: `read ${IMAGE}` });
  await page.getByRole("link", { name: "History" }).click();
  await page.locator("summary").click();
  await expect(page.getByText(`read ${IMAGE}`)).toBeVisible();
  await isInert(page);
});

test("links of an agent's lead only to plain addresses, and say where to", async ({ page, hub }) => {
  const preamble = [
    "[a](javascript:window.pwned=1)", "[b](JaVaScRiPt:window.pwned=1)", "[c](data:text/html,<script>1</script>)",
    "[d](vbscript:x)", "[e](//evil.example/)", "[f](/api/v1/devices)", "[good.example](https://evil.example/x)", "![p](http://evil.example/p.png)",
  ].join("\n\n");
  const ask = await hub.ask({ questions: [database], asker: { preamble } });
  await enter(page, hub);
  const links = card(page, ask).getByRole("link");
  await expect(links).toHaveCount(1);
  await expect(links).toHaveAttribute("href", "https://evil.example/x");
  await expect(links).toHaveAttribute("rel", /noopener/);
  await expect(card(page, ask).getByText("(evil.example)")).toBeVisible();
  await expect(card(page, ask).getByText("(javascript:window.pwned=1)", { exact: false }).first()).toBeVisible();
  await isInert(page);
});

test("what hides or reorders text is shown as what it is, and chosen as it was sent", async ({ page, hub }) => {
  const label = "safe\u202Egnp.exe\u200B \u001b[31mred\u001b[0m\u0007";
  const ask = await hub.ask({ questions: [{ question: "Run \u2066this\u2069?", header: "X", multiSelect: false, options: [{ label }, { label: "no" }] }] });
  await enter(page, hub);
  const it = card(page, ask);
  await expect(it).toContainText("safe<U+202E>gnp.exe<U+200B> ␛[31mred␛[0m␇");
  await expect(it).toContainText("Run <U+2066>this<U+2069>?");
  await option(it, "safe").check();
  await submit(it).click();
  expect(await answersOf(hub, ask)).toEqual([answer([label])]);
});

test("marks that pile up stay in their line", async ({ page, hub }) => {
  const zalgo = "Z" + "\u0301".repeat(400) + "a" + "\u0316".repeat(400);
  const ask = await hub.ask({ questions: [{ ...database, question: `${zalgo}lgo?` }] });
  await enter(page, hub);
  const shown = (await card(page, ask).locator("legend").textContent()) ?? "";
  expect(shown).toContain("lgo?");
  expect((shown.match(/\p{M}/gu) ?? []).length).toBeLessThanOrEqual(16);
});

test("a question as long as the hub takes can be read and answered; ten times that never gets here", async ({ page, hub }) => {
  const question = `${"All work and no play. ".repeat(400)}${"x".repeat(1199)}?`;
  expect(question).toHaveLength(10_000);
  await expect(hub.ask({ questions: [{ ...database, question: question.repeat(10) }] })).rejects.toThrow("422");
  const preview = "y".repeat(100_000);
  const options = [{ label: "long", preview }, ...database.options!];
  const ask = await hub.ask({ questions: [{ ...database, question, options }] });
  await page.setViewportSize({ width: 320, height: 568 });
  await enter(page, hub);
  const it = card(page, ask);
  await expect(it.getByText("x".repeat(1199))).toBeAttached();
  await fits(page);
  await ownWords(it, "Database").fill("yes");
  await submit(it).click();
  expect(await answersOf(hub, ask)).toEqual([answer([], { words: "yes" })]);
});

test("words without an end do not make a small page wider", async ({ page, hub }) => {
  const wide = "W".repeat(500);
  const ask = await hub.ask({
    questions: [{ question: wide, header: wide.slice(0, 100), multiSelect: true, options: [{ label: wide, description: wide, preview: wide }, { label: "b", preview: `# ${wide}\n\n\`\`\`\n${wide}\n\`\`\`\n\n| a | ${wide} |\n|---|---|\n| b | c |` }] }],
    asker: { directory: `/${wide}`, title: wide, host: wide.slice(0, 255), branch: wide.slice(0, 255), preamble: `${wide} \`${wide}\``, agent: wide.slice(0, 60) },
  });
  await hub.ask({ approval: { tool: wide.slice(0, 100), input: { [wide]: wide }, description: wide, suggestions: [wide] }, asker: { session: "s-2" } });
  await page.setViewportSize({ width: 320, height: 568 });
  await enter(page, hub);
  const it = card(page, ask);
  await expect(page.getByRole("article")).toHaveCount(2);
  await fits(page);
  await option(it, "b").last().check();
  await ownWords(it, wide.slice(0, 100)).fill(wide);
  await fits(page);
  await submit(it).click();
  await expect(it).toContainText("Stored.");
  await fits(page);
  await page.getByRole("link", { name: "History" }).click();
  await page.locator("summary").click();
  await expect(page.getByText("Stored.")).toBeVisible();
  await fits(page);
});
