import { expect, test } from "vitest";

import { read } from "./json";

test("what JavaScript can hold is a number", () => {
  expect(read('{"a":9007199254740991,"b":0.1,"c":[1000.0,-5]}')).toEqual({ a: 9007199254740991, b: 0.1, c: [1000, -5] });
});
