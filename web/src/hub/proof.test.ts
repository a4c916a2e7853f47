import { expect, test } from "vitest";

import { challenge, sha256 } from "./proof";

test("the hash is SHA-256, whatever the length", async () => {
  for (const length of [0, 1, 55, 56, 63, 64, 65, 119, 120, 1000]) {
    const message = Array.from({ length }, (_, i) => (i * 37 + length) & 255);
    const expected = [...new Uint8Array(await crypto.subtle.digest("SHA-256", new Uint8Array(message)))];
    expect(sha256(message)).toEqual(expected);
  }
});

test("a challenge names the token as the hub does, and knows the proof", () => {
  const { frame, proof } = challenge("t", "http://127.0.0.1:4731", "n");
  expect(JSON.parse(frame)).toEqual({ fingerprint: "8abb17f0af6446a0", nonce: "n" });
  expect(proof).toBe('{"proof":"2998c11443656dcc9c08c98f8c4dd780475f6f0315c6dfa29974315cfca1c0be"}');
});
