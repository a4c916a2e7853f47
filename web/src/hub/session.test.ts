import { expect, test } from "vitest";

import { deviceName, secretIn } from "./session";

const SECRET = "0123456789abcdef0123456789abcdef";

test("a secret is found in a link, in its fragment, and alone", () => {
  for (const text of [`http://127.0.0.1:4731/#login=${SECRET}`, ` #login=${SECRET}\n`, `login=${SECRET}`, SECRET]) {
    expect(secretIn(text), text).toBe(SECRET);
  }
  for (const text of ["", "http://127.0.0.1:4731/", "#login=", "hello", `#login=${SECRET} and more`]) {
    expect(secretIn(text), text).toBeNull();
  }
});

test("a device has a name a person recognises", () => {
  const linux = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36";
  const phone = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile/15E148 Safari/604.1";
  expect([linux, `${linux} Edg/130.0`, phone, "curl"].map(deviceName)).toEqual([
    "Chrome on Linux",
    "Edge on Linux",
    "Safari on iPhone",
    "Browser on an unknown system",
  ]);
});
