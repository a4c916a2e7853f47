/** Tells the hub while somebody looks at this page, so that nobody is notified of what they see. */

import type { Api } from "../hub/api";
import { randomKey } from "./attempt";
import { pointerMoved } from "./pointer";

/** What was said holds for so long: a page that is gone silences nothing. */
const HOLDS_S = 30;
/** And is said again after so long, while somebody is there. */
const AGAIN_MS = 20_000;
/** Whoever has done nothing for so long may have walked away. */
const IDLE_MS = 60_000;

/** This window's name. */
const view = randomKey();
let acted = -Infinity;

/** Says so from now on; returns what ends it. */
export function attend(api: Api): () => void {
  const ended = new AbortController();
  /** When it was last said, as far as it still holds. */
  let said = -Infinity;
  let due = true;
  let later: number | undefined;

  function say(seconds: number) {
    // Whether it was heard makes no difference here: it is said again, and ends by itself.
    api.look({ view, ask: null, seconds }).catch(() => {});
  }

  function look() {
    const now = performance.now();
    const away = document.visibilityState === "hidden" || !document.hasFocus();
    if (away) {
      if (now - said < HOLDS_S * 1000) say(0);
      said = -Infinity;
      due = true;
    } else if (due && now - Math.max(acted, pointerMoved()) < IDLE_MS) {
      said = now;
      due = false;
      say(HOLDS_S);
      clearTimeout(later);
      later = window.setTimeout(again, AGAIN_MS);
    }
  }

  function again() {
    due = true;
    look();
  }

  function act(event: Event) {
    // A page that moves below a pointer at rest fires this as well.
    if (event.type !== "pointermove") acted = performance.now();
    look();
  }

  const options = { capture: true, passive: true, signal: ended.signal };
  for (const name of ["keydown", "pointerdown", "pointermove", "wheel"]) addEventListener(name, act, options);
  for (const name of ["blur", "focus"]) addEventListener(name, look, { signal: ended.signal });
  document.addEventListener("visibilitychange", look, options);
  look();

  return () => {
    ended.abort();
    clearTimeout(later);
  };
}
