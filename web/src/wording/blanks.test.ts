import { expect, test } from "vitest";

import samples from "../generated/blanks.json";
import { countBlanks } from "./blanks";

test("runs of blanks are counted as the terminal counts them", () => {
  for (const [text, counted] of samples) expect(countBlanks(text!)).toBe(counted);
});
