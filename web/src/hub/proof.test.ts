import { expect, test } from "vitest";

import { Challenge, sha256 } from "./proof";

test("the hash is SHA-256, whatever the length", async () => {
  for (const length of [0, 1, 55, 56, 63, 64, 65, 119, 120, 1000]) {
    const message = Array.from({ length }, (_, i) => (i * 37 + length) & 255);
    const expected = [...new Uint8Array(await crypto.subtle.digest("SHA-256", new Uint8Array(message)))];
    expect(sha256(message)).toEqual(expected);
  }
});

/** The hub computes the same: crates/broker/src/proof.rs. */
const proof = "a6d69df1565a1d099a92e6a07136befb82e0641d465c07961bb8a936761f7306";

test("a challenge names the token as the hub does, and knows its proof", () => {
  const challenge = new Challenge("t", "http://127.0.0.1:4731", "n");
  expect(JSON.parse(challenge.frame)).toEqual({ fingerprint: "8abb17f0af6446a0", nonce: "n" });
  expect(challenge.isProvedBy(JSON.stringify({ proof, upMilliseconds: 1500 }), 20.7)).toBe(true);
});

test("nothing else proves anything", () => {
  const challenge = new Challenge("t", "http://127.0.0.1:4731", "n");
  for (const frame of [null, 1, "", {}, [], { proof }, { proof: null, upMilliseconds: 1500 }, { proof, upMilliseconds: 1501 }, { proof, upMilliseconds: "1500" }]) {
    const text = JSON.stringify(frame);
    expect(challenge.isProvedBy(text, 0), text).toBe(false);
  }
  for (const other of [new Challenge("u", "http://127.0.0.1:4731", "n"), new Challenge("t", "http://127.0.0.1:5000", "n"), new Challenge("t", "http://127.0.0.1:4731", "m")]) {
    expect(other.isProvedBy(JSON.stringify({ proof, upMilliseconds: 1500 }), 0)).toBe(false);
  }
});

test("a hub that listens for less time than the connection is open is at the end of another one", () => {
  const challenge = new Challenge("t", "http://127.0.0.1:4731", "n");
  expect(challenge.isProvedBy(JSON.stringify({ proof, upMilliseconds: 1500 }), 1501)).toBe(false);
});
