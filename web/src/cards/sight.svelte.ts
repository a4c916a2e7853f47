/** Which parts of an approval were on the screen: it can be allowed only after all of them were. */

import { SvelteMap } from "svelte/reactivity";

/** Height is counted in steps of this many pixels: less than a line. */
const STEP = 8;
const THRESHOLDS = [0, 0.25, 0.5, 0.75, 1];

/** What the bars that stay in place leave free of the window. */
function view(): { top: number; bottom: number } {
  const bar = (where: string) => document.querySelector(`[data-bar="${where}"]`)?.getBoundingClientRect();
  return { top: bar("top")?.bottom ?? 0, bottom: bar("bottom")?.top ?? innerHeight };
}

type Part = { look: () => void; firstUnseen: () => number };

export class Sight {
  /** The parts of which not everything was on the screen yet. */
  readonly unseen = new SvelteMap<HTMLElement, Part>();

  /** Counts `element` as seen once all of its height was in view while `whole` held, in however many looks. */
  watch(element: HTMLElement, whole = () => true): () => void {
    let seen = new Uint8Array(1);
    const look = () => {
      // What is wider than its box, because it cannot be broken, is not shown whole.
      if (!whole() || document.hidden || element.scrollWidth > element.clientWidth) return;
      const box = element.getBoundingClientRect();
      if (box.left < 0 || box.right > innerWidth) return;
      const { top, bottom } = view();
      const steps = Math.ceil(box.height / STEP);
      // At another height its lines are other lines.
      if (steps !== seen.length) seen = new Uint8Array(steps);
      const from = Math.ceil((Math.max(box.top, top) - box.top) / STEP);
      const to = Math.floor((Math.min(box.bottom, bottom) - box.top) / STEP);
      seen.fill(1, from, box.bottom <= bottom ? steps : Math.max(from, to));
      if (!seen.includes(0)) stop();
    };
    const listen = (on: boolean) => {
      for (const event of ["scroll", "resize"]) on ? addEventListener(event, look) : removeEventListener(event, look);
    };
    const observer = new IntersectionObserver((entries) => {
      const near = entries.at(-1)!.isIntersecting;
      listen(near);
      if (near) look();
    }, { threshold: THRESHOLDS });
    const stop = () => {
      observer.disconnect();
      listen(false);
      this.unseen.delete(element);
    };
    this.unseen.set(element, { look, firstUnseen: () => Math.max(0, seen.indexOf(0)) * STEP });
    observer.observe(element);
    return stop;
  }

  /** Leads to the first place that was not seen. The focus goes along: from there, keys unfold and scroll. */
  lead(): void {
    const top = (element: HTMLElement) => element.getBoundingClientRect().top;
    const [[first, part] = []] = [...this.unseen].sort(([a], [b]) => top(a) - top(b));
    if (!first || !part) return;
    scrollBy({ top: top(first) + part.firstUnseen() - view().top - 2 * STEP });
    const unfold = first.parentElement?.querySelector<HTMLElement>("button[data-unfold]");
    (unfold ?? first).focus({ preventScroll: !unfold });
    part.look();
  }
}
