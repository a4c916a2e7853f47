/**
 * Has whatever listens prove that it is the hub, before it gets this browser's token: while the hub is away,
 * any program of the machine can listen at its port.
 */

import { randomKey } from "../state/attempt";

/** A question that only a hub which knows the token can answer. */
export class Challenge {
  readonly frame: string;
  private readonly key: number[];

  constructor(
    token: string,
    private readonly origin = location.origin,
    private readonly nonce = randomKey(),
  ) {
    this.key = sha256(bytes(token));
    this.frame = JSON.stringify({ fingerprint: hex(hmac(this.key, "handraise device")).slice(0, 16), nonce });
  }

  /**
   * Whether this proves it. `age` is how long ago the connection was open: a hub that listens for a shorter
   * time is not at its other end, so somebody in between has relayed the challenge.
   */
  isProvedBy(frame: unknown, age: number): boolean {
    const { proof, upMilliseconds } = (frame ?? {}) as { proof?: unknown; upMilliseconds?: unknown };
    if (typeof upMilliseconds !== "number" || upMilliseconds < Math.floor(age)) return false;
    return proof === hex(hmac(this.key, `handraise hub\n${this.origin}\n${this.nonce}\n${upMilliseconds}`));
  }
}

const bytes = (text: string) => [...new TextEncoder().encode(text)];
const hex = (digest: number[]) => digest.map((byte) => byte.toString(16).padStart(2, "0")).join("");

function hmac(key: number[], text: string): number[] {
  const pad = (mask: number) => Array.from({ length: 64 }, (_, i) => (key[i] ?? 0) ^ mask);
  return sha256([...pad(0x5c), ...sha256([...pad(0x36), ...bytes(text)])]);
}

/** The first 32 bits of the fractions of the roots of the first primes. */
const fractions = (root: number, many: number) => {
  const found: number[] = [];
  for (let n = 2; found.length < many; n++) {
    let prime = true;
    for (let d = 2; d * d <= n; d++) prime &&= n % d !== 0;
    if (prime) found.push(((n ** (1 / root)) % 1) * 2 ** 32 | 0);
  }
  return found;
};
const BEGIN = fractions(2, 8);
const ROUNDS = fractions(3, 64);

/** By hand: over plain HTTP from another machine a browser has no `crypto.subtle`. */
export function sha256(message: number[]): number[] {
  const length = message.length;
  const blocks = [...message, 0x80];
  while (blocks.length % 64 !== 56) blocks.push(0);
  for (let shift = 56; shift >= 0; shift -= 8) blocks.push(shift > 24 ? 0 : ((length * 8) >>> shift) & 255);
  const state = [...BEGIN];
  const turn = (x: number, by: number) => (x >>> by) | (x << (32 - by));
  for (let at = 0; at < blocks.length; at += 64) {
    const w: number[] = [];
    let [a, b, c, d, e, f, g, h] = state as [number, number, number, number, number, number, number, number];
    for (let i = 0; i < 64; i++) {
      if (i < 16) {
        const place = at + i * 4;
        w[i] = (blocks[place]! << 24) | (blocks[place + 1]! << 16) | (blocks[place + 2]! << 8) | blocks[place + 3]!;
      } else {
        const x = w[i - 15]!;
        const y = w[i - 2]!;
        const s0 = turn(x, 7) ^ turn(x, 18) ^ (x >>> 3);
        const s1 = turn(y, 17) ^ turn(y, 19) ^ (y >>> 10);
        w[i] = (w[i - 16]! + s0 + w[i - 7]! + s1) | 0;
      }
      const t1 = (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + ROUNDS[i]! + w[i]!) | 0;
      const t2 = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) | 0, c, b, a, (t1 + t2) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((word, i) => (state[i] = (state[i]! + word) | 0));
  }
  return state.flatMap((word) => [24, 16, 8, 0].map((shift) => (word >>> shift) & 255));
}
