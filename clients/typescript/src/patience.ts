import { setTimeout as sleep } from "node:timers/promises";

import { HubUnreachable } from "./errors.js";
import type { Rules } from "./rules.js";

const FIRST_PAUSE = 20;
const LONGEST_PAUSE = 500;

/** Time, in milliseconds. */
export interface Clock {
  now(): number;
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
}

export const REAL_CLOCK: Clock = {
  now: () => performance.now(),
  sleep: (milliseconds, signal) => sleep(milliseconds, undefined, { signal }),
};

/** No hub for as long as a person may be silent. */
export class Silence extends Error {
  constructor(readonly seconds: number) {
    super(`nobody answered within ${seconds} s`);
  }
}

/** Tries again for as long as the rules want while the hub is away. */
export class Patience {
  deadline: number | null;

  constructor(
    private readonly rules: Rules,
    private readonly clock: Clock,
    private readonly signal: AbortSignal,
  ) {
    this.deadline = rules.deadline;
  }

  async insist<T>(call: () => Promise<T>): Promise<T> {
    let awaySince: number | undefined;
    for (let pause = FIRST_PAUSE; ; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
      try {
        return await call();
      } catch (error) {
        if (!(error instanceof HubUnreachable) || this.rules.onDisconnect === "decline") {
          throw error;
        }
      }
      const now = this.clock.now();
      awaySince ??= now;
      if (this.deadline !== null && now - awaySince >= this.deadline * 1000) {
        throw new Silence(this.deadline);
      }
      await this.clock.sleep(pause, this.signal);
    }
  }
}
