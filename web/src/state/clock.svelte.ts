/** The time, as a state: once a second while somebody looks. */

class Clock {
  now = $state(Date.now());

  constructor() {
    const tick = () => {
      if (document.visibilityState === "visible") this.now = Date.now();
    };
    setInterval(tick, 1000);
    document.addEventListener("visibilitychange", tick);
  }
}

export const clock = new Clock();
