/** A tool call or a plan: shown whole, allowed, changed, or denied. */

import { card, ended, enter, expect, pressAnyway, test } from "./fixtures.ts";

const bash = { tool: "Bash", input: { command: "make test", timeout: 60 }, description: "Run the tests" };
const suggestions = [{ type: "addRules", rules: [{ toolName: "Bash", ruleContent: "make test" }], behavior: "allow" }];

test("the tool and the whole of its input are shown, however long, nested or strange", async ({ page, hub }) => {
  const long = `${"echo line\n".repeat(300)}rm -rf /the/end`;
  const input = { command: long, nested: { deep: [{ deeper: "at the bottom" }] }, "": "no name", "a<b>": "\u202Etxt", empty: "", none: null, yes: true };
  const ask = await hub.ask({ approval: { tool: "Bash", input, description: "Does a lot" } });
  await enter(page, hub);
  const it = card(page, ask);
  await expect(it.getByRole("heading", { level: 2 })).toHaveText("Claude wants to use Bash");
  await expect(it.getByText("Does a lot", { exact: true })).toBeVisible();
  await expect(it.getByRole("group", { name: "command" })).toHaveText(long, { useInnerText: true });
  await expect(it.getByRole("group", { name: "nested" })).toContainText('"deeper": "at the bottom"');
  await expect(it.getByRole("term")).toHaveText(["command", "nested", "", "a<b>", "empty", "none", "yes"]);
  await expect(it).toContainText("<U+202E>txt");
  await expect(it).toContainText("no name");
});

test("Allow is stored as allowed, with nothing else", async ({ page, hub }) => {
  const ask = await hub.ask({ approval: bash });
  await enter(page, hub);
  const it = card(page, ask);
  await it.getByRole("button", { name: "Allow", exact: true }).click();
  const { resolution } = await ended(hub, ask);
  expect(resolution).toMatchObject({ kind: "answered", decision: "allow", message: null, responder: { surface: "web", person: "ann" } });
  expect(resolution).not.toHaveProperty("input.command");
  expect((resolution as { remember?: unknown }).remember ?? false).toBe(false);
  await expect(it).toContainText("Allowed by you, here");
});

test("an edited input is what is allowed", async ({ page, hub }) => {
  const ask = await hub.ask({ approval: bash });
  await enter(page, hub);
  const it = card(page, ask);
  await it.getByRole("button", { name: "Edit before allowing" }).click();
  const field = it.getByRole("textbox", { name: "The input as it will be used" });
  expect(JSON.parse(await field.inputValue())).toEqual(bash.input);
  await field.fill('{"command": "make check", "timeout": 5}');
  await it.getByRole("button", { name: "Allow as edited" }).click();
  const { resolution } = await ended(hub, ask);
  expect(resolution).toMatchObject({ decision: "allow", input: { command: "make check", timeout: 5 } });
  await expect(it).toContainText("Allowed, with an edited input");
});

test("a broken edit is refused with a reason, and can be dropped", async ({ page, hub, watch }) => {
  const ask = await hub.ask({ approval: bash });
  await enter(page, hub);
  const it = card(page, ask);
  await it.getByRole("button", { name: "Edit before allowing" }).click();
  const field = it.getByRole("textbox", { name: "The input as it will be used" });
  await field.fill('{"command": ');
  await expect(it.getByRole("alert")).toContainText("This is not JSON:");
  await pressAnyway(it.getByRole("button", { name: "Allow as edited" }));
  await field.fill('["make"]');
  await expect(it.getByRole("alert")).toContainText("The input must stay an object");
  await pressAnyway(it.getByRole("button", { name: "Allow as edited" }));
  expect(watch.said).toEqual([]);
  await it.getByRole("button", { name: "Drop the edit" }).click();
  await it.getByRole("button", { name: "Allow", exact: true }).click();
  const { resolution } = await ended(hub, ask);
  expect((resolution as { input?: unknown }).input ?? null).toBeNull();
});

test("an edit survives a reload, and a second device has it", async ({ page, hub, another }) => {
  const ask = await hub.ask({ approval: bash });
  await enter(page, hub);
  await card(page, ask).getByRole("button", { name: "Edit before allowing" }).click();
  await card(page, ask).getByRole("textbox", { name: "The input as it will be used" }).fill('{"command": "mak');
  await expect(card(page, ask).getByText("Draft kept.")).toBeVisible();
  await page.reload();
  await expect(card(page, ask).getByRole("textbox", { name: "The input as it will be used" })).toHaveValue('{"command": "mak');
  const phone = await another();
  await enter(phone, hub);
  await expect(card(phone, ask).getByRole("textbox", { name: "The input as it will be used" })).toHaveValue('{"command": "mak');
});

test("Deny carries a message", async ({ page, hub }) => {
  const ask = await hub.ask({ approval: bash });
  await enter(page, hub);
  const it = card(page, ask);
  await it.getByRole("textbox", { name: "A word to Claude" }).fill("use “just test”, please");
  await it.getByRole("button", { name: "Deny" }).click();
  expect((await ended(hub, ask)).resolution).toMatchObject({ decision: "deny", message: "use “just test”, please" });
  await expect(it).toContainText("Denied: use “just test”, please");
});

test("remembering is offered only where the agent offers it, and shows what would be remembered", async ({ page, hub }) => {
  const plain = await hub.ask({ approval: bash });
  const ask = await hub.ask({ approval: { ...bash, suggestions }, asker: { session: "s-2" } });
  await enter(page, hub);
  await expect(card(page, plain).getByRole("checkbox")).toHaveCount(0);
  const it = card(page, ask);
  await expect(it).toContainText('"ruleContent":"make test"');
  const remember = it.getByRole("checkbox", { name: "Remember it, as Claude offers:" });
  await expect(remember).not.toBeChecked();
  await remember.check();
  await it.getByRole("button", { name: "Allow", exact: true }).scrollIntoViewIfNeeded();
  await it.getByRole("button", { name: "Allow", exact: true }).click();
  expect((await ended(hub, ask)).resolution).toMatchObject({ decision: "allow", remember: true });
  await expect(it).toContainText("Allowed, and remembered");
});

test("what is denied is not remembered", async ({ page, hub }) => {
  const ask = await hub.ask({ approval: { ...bash, suggestions } });
  await enter(page, hub);
  const it = card(page, ask);
  await it.getByRole("checkbox").check();
  await it.getByRole("button", { name: "Deny" }).click();
  const { resolution } = await ended(hub, ask);
  expect((resolution as { remember?: unknown }).remember ?? false).toBe(false);
});

for (const [button, decision] of [["Approve the plan", "allow"], ["Keep planning", "deny"]] as const) {
  test(`a plan is rendered, and "${button}" is stored`, async ({ page, hub }) => {
    const plan = "# Pay\n\n1. **Read** the code\n2. Write it\n\n<img src=x onerror=alert(1)>";
    const ask = await hub.ask({ approval: { tool: "ExitPlanMode", input: { plan }, plan } });
    await enter(page, hub);
    const it = card(page, ask);
    await expect(it.getByRole("heading", { level: 2 })).toHaveText("Claude has a plan");
    const shown = it.getByRole("group", { name: "The plan" });
    await expect(shown.getByRole("listitem")).toHaveText(["Read the code", "Write it"]);
    await expect(shown.locator("strong")).toHaveText("Read");
    await expect(shown).toContainText("<img src=x onerror=alert(1)>");
    await it.getByRole("button", { name: button }).click();
    expect((await ended(hub, ask)).resolution).toMatchObject({ kind: "answered", decision });
  });
}

test("an approval can be talked about first", async ({ page, hub }) => {
  const ask = await hub.ask({ approval: bash });
  await enter(page, hub);
  const it = card(page, ask);
  await it.getByRole("button", { name: "Discuss first…" }).click();
  await it.getByRole("textbox", { name: "What do you want to say first?" }).fill("Why now?");
  await it.getByRole("button", { name: "Send, and talk first" }).click();
  expect((await ended(hub, ask)).resolution).toMatchObject({ kind: "discuss", words: "Why now?" });
});
