import { readdirSync } from "node:fs";
import { join, relative } from "node:path";

import { vitePreprocess } from "@sveltejs/vite-plugin-svelte";

const sources = join(import.meta.dirname, "src");
const components = readdirSync(sources, { recursive: true }).filter((name) => name.endsWith(".svelte")).sort();

export default {
  preprocess: vitePreprocess({ script: false }),
  compilerOptions: {
    runes: true,
    // Every element with a style of its component's carries this; it need not say whose it is, and is short.
    cssHash: ({ hash, filename, css }) => {
      const place = components.indexOf(relative(sources, filename ?? ""));
      return `s${place < 0 ? hash(css) : place.toString(36)}`;
    },
    discloseVersion: false,
  },
};
