import { vitePreprocess } from "@sveltejs/vite-plugin-svelte";

export default {
  preprocess: vitePreprocess({ script: false }),
  compilerOptions: {
    runes: true,
    // Every element with a style of its component's carries this; it need not say whose it is.
    cssHash: ({ hash, filename, css }) => `s${hash(filename ?? css).slice(-4)}`,
    discloseVersion: false,
  },
};
