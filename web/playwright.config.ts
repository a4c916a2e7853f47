import { defineConfig } from "@playwright/test";

import chromium from "./e2e/chromium.mjs";

export default defineConfig({
  testDir: "e2e",
  testMatch: "*.spec.ts",
  outputDir: "test-results",
  fullyParallel: true,
  workers: 2,
  // A test that fails now and then is a defect, and hides others.
  retries: 0,
  forbidOnly: true,
  reporter: [["list"]],
  timeout: 60_000,
  expect: { timeout: 15_000 },
  use: {
    browserName: "chromium",
    viewport: { width: 1200, height: 800 },
    actionTimeout: 15_000,
    // What was done, without a picture of each step: those cost a third of the whole time. `--trace on` draws them.
    trace: { mode: "retain-on-failure", snapshots: false, screenshots: false, sources: false },
    screenshot: "only-on-failure",
    launchOptions: chromium,
  },
});
