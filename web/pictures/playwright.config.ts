import { defineConfig, devices } from "@playwright/test";

import base from "../playwright.config.ts";

const desk = { viewport: { width: 1280, height: 860 } };
const phone = { ...devices["Pixel 7"], viewport: { width: 375, height: 667 }, deviceScaleFactor: 2 };

/** Every page and state as a picture: desk and phone, light and dark. */
export default defineConfig({
  ...base,
  testDir: ".",
  outputDir: "../test-results",
  testMatch: "pictures.ts",
  projects: [
    { name: "desk-light", use: { ...base.use, ...desk, colorScheme: "light" } },
    { name: "desk-dark", use: { ...base.use, ...desk, colorScheme: "dark" } },
    { name: "phone-light", use: { ...phone, ...base.use, viewport: phone.viewport, colorScheme: "light" } },
    { name: "phone-dark", use: { ...phone, ...base.use, viewport: phone.viewport, colorScheme: "dark" } },
    { name: "wall-light", use: { ...base.use, viewport: { width: 3840, height: 2160 }, colorScheme: "light" } },
  ],
});
