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
    trace: "retain-on-failure",
    launchOptions: chromium,
  },
});
