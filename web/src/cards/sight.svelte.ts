/** Which parts of an approval were on the screen: it can be allowed only after all of them were. */

import { SvelteSet } from "svelte/reactivity";

export class Sight {
  /** The ends of parts that have not been on the screen, whole, yet. */
  readonly unseen = new SvelteSet<HTMLElement>();

  /** Counts the part that ends with this element as seen once `whole` holds and its end is in view. */
  watch(end: HTMLElement, whole: () => boolean): () => void {
    this.unseen.add(end);
    const observer = new IntersectionObserver((entries) => {
      if (entries.some((entry) => entry.isIntersecting) && whole()) this.unseen.delete(end);
    });
    observer.observe(end);
    return () => {
      observer.disconnect();
      this.unseen.delete(end);
    };
  }

  /** Leads to the first part that was not seen. */
  lead(): void {
    const [first] = [...this.unseen].sort((a, b) => (a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1));
    first?.scrollIntoView({ block: "center" });
    first?.parentElement?.querySelector<HTMLElement>("button[data-unfold]")?.focus();
  }
}
