/** The colours that carry a meaning: what is chosen, where the cursor is, and that time runs out. */

import { card, enter, expect, option, ownWords, test } from "./fixtures.ts";
import { database, features } from "./questions.ts";

const THEMES = {
  light: { accent: "rgb(79, 70, 229)", soft: "rgb(238, 238, 254)", warn: "rgb(138, 83, 0)", behind: "rgb(253, 243, 224)" },
  dark: { accent: "rgb(165, 176, 251)", soft: "rgb(38, 38, 74)", warn: "rgb(243, 192, 107)", behind: "rgb(54, 40, 19)" },
} as const;

for (const scheme of ["light", "dark"] as const) {
  const { accent, soft, warn, behind } = THEMES[scheme];

  test.describe(`in ${scheme} colours`, () => {
    test.use({ colorScheme: scheme });

    test("what is chosen and the text cursor have the accent colour", async ({ page, hub }) => {
      const ask = await hub.ask({ questions: [database, features] });
      await enter(page, hub);
      const it = card(page, ask);
      for (const label of ["MongoDB", "Tailwind CSS"]) {
        const mark = option(it, label);
        const box = it.locator("label.option", { hasText: label });
        await expect(mark).toHaveCSS("accent-color", accent);
        await expect(box).not.toHaveCSS("border-color", accent);
        await mark.check();
        await expect(box).toHaveCSS("border-color", accent);
        await expect(box).toHaveCSS("background-color", soft);
      }
      await option(it, "MongoDB").focus();
      await page.keyboard.press("ArrowUp");
      await expect(it.locator("label.option:has(:focus-visible)")).toHaveCSS("outline-color", accent);
      await expect(ownWords(it, "Database")).toHaveCSS("caret-color", accent);
    });

    test("a deadline is drawn as a warning", async ({ page, hub }) => {
      const ask = await hub.ask({ questions: [database], policy: { deadlineSeconds: 600 } });
      const free = await hub.ask({ questions: [features] });
      await enter(page, hub);
      const timer = card(page, ask).getByRole("timer");
      await expect(timer).toHaveCSS("color", warn);
      await expect(timer).toHaveCSS("background-color", behind);
      await expect(card(page, free).getByRole("timer")).toHaveCount(0);
    });
  });
}
