import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig, type Plugin } from "vite";

/** Where `cargo xtask dev` has its hub. */
const hub = process.env.HANDRAISE_HUB ?? "http://127.0.0.1:4731";

/**
 * This page is never hydrated. Svelte keeps all that only hydration needs behind one variable, which the
 * minifier takes for one that may change: said to be constant, 4 kB of code go.
 */
const neverHydrates: Plugin = {
  name: "never-hydrates",
  transform(code, id) {
    if (!id.endsWith("/svelte/src/internal/client/dom/hydration.js")) return null;
    const constant = code.replace("export let hydrating = false;", "export const hydrating = false;").replace("hydrating = value;", "");
    if (!/const hydrating/.test(constant) || /hydrating = value/.test(constant)) throw new Error("Svelte's hydration.js has changed");
    return { code: constant, map: null };
  },
};

export default defineConfig({
  plugins: [svelte(), neverHydrates],
  define: {
    // The hub that serves this page has the same version, until it is updated under an open page.
    __VERSION__: JSON.stringify(process.env.HANDRAISE_VERSION ?? "development"),
  },
  build: {
    target: "es2023",
    // The page's policy allows no inlined images; and small files cost nothing on the loopback.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: {
    proxy: {
      // As if the page came from the hub: it looks at Host and Origin.
      "/api": { target: hub, changeOrigin: true, ws: true, headers: { origin: hub } },
      "/previews": { target: hub, changeOrigin: true, headers: { origin: hub } },
    },
  },
  test: { include: ["src/**/*.test.ts"], environment: "node" },
} as Parameters<typeof defineConfig>[0]);
