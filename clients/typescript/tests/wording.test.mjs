// What is said here is what the hub's own program says: clients/wording.json comes from it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { read } from "../dist/parts.js";
import { answered, notAllowed, notAnswered } from "../dist/wording.js";

const samples = JSON.parse(readFileSync(new URL("../../wording.json", import.meta.url), "utf8"));

test("Claude Code is given the same", () => {
  for (const { questions, resolution, permission } of samples.permissions) {
    const given =
      resolution.kind === "answered"
        ? { behavior: "allow", updatedInput: answered(questions, resolution.answers) }
        : { behavior: "deny", message: notAnswered(resolution) };
    assert.deepEqual(given, permission);
  }
});

test("what is not allowed is said in the same words", () => {
  for (const { resolution, message } of samples.refusals) {
    assert.equal(notAllowed(resolution), message);
  }
});

test("strings are read alike", () => {
  for (const { question, text, selected, words } of samples.readings) {
    assert.deepEqual(read(question, text), { selected, words });
  }
});
