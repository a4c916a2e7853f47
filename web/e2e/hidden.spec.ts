/** Hidden characters in a command take room on the page: none makes it look like another command. */

import { card, ended, enter, expect, test } from "./fixtures.ts";

/** What Unicode says is ignored, reorders text or is blank; of private and unassigned characters, some. */
const HIDES = /[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Cc}\p{Cf}\p{Z}]/u;
const SOME = [0x378, 0x94d, 0x17d2, 0x2800, 0xe000, 0xf8ff, 0xfffc, 0xffff, 0x13441, 0x16fe4, 0x1d159, 0x50000, 0x10ffff];

function hiddenCodePoints(): number[] {
  const all = Array.from({ length: 0x110000 }, (_, code) => code);
  const hides = (code: number) => HIDES.test(String.fromCodePoint(code)) && ![0x9, 0xa, 0x20].includes(code);
  return [...all.filter(hides), ...SOME];
}

test("a command with a hidden character is never as wide as the one without", async ({ page, hub }) => {
  const codes = hiddenCodePoints();
  expect(codes.length).toBeGreaterThan(4174);
  // The page's own drawing of one call: a field for every character, and one without.
  const fields = codes.map((code) => [`field ${code.toString(16)}`, `g${String.fromCodePoint(code)}it status`]);
  const input = Object.fromEntries([["command", "git status"], ...fields]);
  const ask = await hub.ask({ approval: { tool: "Bash", input } });
  await enter(page, hub);
  const values = card(page, ask).locator("dd pre");
  await expect(values).toHaveCount(codes.length + 1);
  const drawn = await values.evaluateAll((all) =>
    all.map((value) => {
      const text = document.createRange();
      text.selectNodeContents(value);
      return { text: value.textContent ?? "", width: text.getBoundingClientRect().width };
    }),
  );
  const plain = drawn[0]!;
  expect(plain.text).toBe("git status");
  expect(plain.width).toBeGreaterThan(40);
  const alike = codes.filter((_, at) => Math.abs(drawn[at + 1]!.width - plain.width) < 2);
  expect(alike.map((code) => code.toString(16))).toEqual([]);
  for (const { text } of drawn.slice(1)) expect(text).toMatch(/^g(<U\+[0-9A-F]{4,6}>|[␀-␡])it status$/);
});

test("an input to edit shows what hides in it, and goes back as it came", async ({ page, hub }) => {
  const command = "g\u200bit \u{e0100}status\u00a0; ls";
  const ask = await hub.ask({ approval: { tool: "Bash", input: { command } } });
  await enter(page, hub);
  const it = card(page, ask);
  await it.getByRole("button", { name: "Edit before allowing" }).click();
  const field = it.getByLabel("The input as it will be used");
  await expect(field).toHaveValue(/g\\u200bit \\udb40\\udd00status\\u00a0; ls/);
  await it.getByRole("button", { name: "Allow as edited" }).click();
  const { resolution } = await ended(hub, ask);
  expect(resolution).toMatchObject({ decision: "allow", input: { command } });
});
