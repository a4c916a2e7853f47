/** The hub's time, as a state: once a second while somebody looks. */

/** What differs by less is only the way of a message, and the seconds of its date. */
const TOLERANCE_MS = 3_000;

class Clock {
  now = $state(Date.now());
  private ahead = 0;

  constructor() {
    const tick = () => {
      if (document.visibilityState === "visible") this.now = Date.now() + this.ahead;
    };
    setInterval(tick, 1000);
    document.addEventListener("visibilitychange", tick);
  }

  /** Goes by the hub's clock where this machine's is wrong: waits and deadlines are the hub's. */
  follow(date: string | null): void {
    const ahead = Date.parse(date ?? "") - Date.now();
    if (Number.isNaN(ahead)) return;
    this.ahead = Math.abs(ahead) > TOLERANCE_MS ? ahead : 0;
    if (this.ahead) this.now = Date.now() + this.ahead;
  }
}

export const clock = new Clock();
