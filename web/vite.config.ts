import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";

/** Where `cargo xtask dev` has its hub. */
const hub = process.env.HANDRAISE_HUB ?? "http://127.0.0.1:4731";

export default defineConfig({
  plugins: [svelte()],
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
