import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig, type Plugin } from "vite";

/** Where `cargo xtask dev` has its hub. */
const hub = process.env.HANDRAISE_HUB ?? "http://127.0.0.1:4731";

/**
 * This page is never hydrated, and has no components in Svelte's legacy or async mode. Svelte keeps what only
 * they need behind variables, which the minifier takes for ones that may change: said to be constant, 5 kB of
 * code go.
 */
const CONSTANT = /\/svelte\/src\/internal\/(client\/dom\/hydration|flags\/index)\.js$/;
const constantModes: Plugin = {
  name: "constant-modes",
  transform(code, id) {
    if (/\/svelte\/src\/internal\/flags\/(async|legacy|tracing)\.js$/.test(id)) throw new Error(`${id} is used`);
    if (id.endsWith("/svelte/src/internal/client/reactivity/deriveds.js")) return { code: withoutAsync(code), map: null };
    if (!CONSTANT.test(id)) return null;
    const constant = code
      .replace(/export let (hydrating|\w+_mode_flag) = false;/g, "export const $1 = false;")
      .replace(/^\s*(hydrating|\w+_mode_flag) = \w+;/gm, "");
    if (!/const (hydrating|legacy_mode_flag)/.test(constant)) throw new Error(`${id} has changed`);
    return { code: constant, map: null };
  },
};

/** What only async mode calls. */
function withoutAsync(code: string): string {
  const never = code.replace("export function async_derived(", "export function async_derived() {}\nfunction never(");
  if (never === code) throw new Error("Svelte's deriveds.js has changed");
  return never;
}

export default defineConfig({
  plugins: [svelte(), constantModes],
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
