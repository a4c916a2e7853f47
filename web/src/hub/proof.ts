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
   * time is not at its other end, so the challenge was relayed.
   */
  isProvedBy(frame: string, age: number): boolean {
    const [, proof, up] = /^\{"proof":"(\w+)","upMilliseconds":(\d+)\}$/.exec(frame) ?? [];
    return Number(up) >= Math.floor(age) && proof === hex(hmac(this.key, `handraise hub\n${this.origin}\n${this.nonce}\n${up}`));
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
  next: for (let n = 2; found.length < many; n++) {
    for (let d = 2; d < n; d++) if (n % d === 0) continue next;
    found.push((n ** (1 / root) % 1) * 2 ** 32 | 0);
  }
  return found;
};
const BEGIN = fractions(2, 8);
const ROUNDS = fractions(3, 64);

/** By hand: over plain HTTP from another machine a browser has no `crypto.subtle`. */
export function sha256(message: number[]): number[] {
  const blocks = [...message, 128, 0, 0, 0, 0];
  while (blocks.length % 64 !== 60) blocks.push(0);
  blocks.push(...octets(message.length * 8));
  let state = BEGIN;
  for (let at = 0; at < blocks.length; at += 64) {
    const w: number[] = [];
    let now = [...state];
    for (let i = 0; i < 64; i++) {
      const place = at + i * 4;
      w[i] = i < 16
        ? (blocks[place]! << 24) | (blocks[place + 1]! << 16) | (blocks[place + 2]! << 8) | blocks[place + 3]!
        : (w[i - 16]! + (turned(w[i - 15]!, 7, 18) ^ (w[i - 15]! >>> 3)) + w[i - 7]! + (turned(w[i - 2]!, 17, 19) ^ (w[i - 2]! >>> 10))) | 0;
      const [a, b, c, d, e, f, g, h] = now as [number, number, number, number, number, number, number, number];
      const t = h + turned(e, 6, 11, 25) + ((e & f) ^ (~e & g)) + ROUNDS[i]! + w[i]!;
      now = [(t + turned(a, 2, 13, 22) + ((a & b) ^ (a & c) ^ (b & c))) | 0, a, b, c, (d + t) | 0, e, f, g];
    }
    state = state.map((word, i) => (word + now[i]!) | 0);
  }
  return state.flatMap(octets);
}

const turned = (x: number, ...by: number[]) => by.reduce((all, n) => all ^ (x >>> n) ^ (x << (32 - n)), 0);
const octets = (word: number) => [24, 16, 8, 0].map((shift) => (word >>> shift) & 255);
