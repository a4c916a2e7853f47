import { defineConfig } from "@playwright/test";

import base from "../playwright.config.ts";

/** Speed and size, one after the other: nothing else may run meanwhile. */
export default defineConfig({
  ...base,
  testDir: ".",
  testMatch: "bench.ts",
  outputDir: "../test-results",
  workers: 1,
  timeout: 300_000,
  reporter: [["line"]],
});
