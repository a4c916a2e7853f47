// Options that make no sense are refused by their names; so are answers.
import assert from "node:assert/strict";
import { test } from "node:test";

import { Handraise } from "handraise";

import { toApi } from "../dist/answers.js";
import { PRESETS, policy } from "../dist/rules.js";

const QUESTIONS = [
  { question: "Which?", options: [{ label: "A" }, { label: "B" }] },
  { question: "Several?", multiSelect: true, options: [{ label: "C" }, { label: "D, E" }] },
];

test("what makes no sense is named", () => {
  for (const [options, message] of [
    [{ tools: "allow" }, 'tools: found "allow", allowed "approve", "ask" or a function'],
    [{ preset: "gobbi" }, 'preset: found "gobbi", allowed "gobby", "prime-agent"'],
    [{ deadline: 0 }, "deadline: found 0, allowed whole seconds from 1"],
    [{ deadline: 1.5 }, "deadline: found 1.5, allowed whole seconds from 1"],
    [{ onDeadline: "die" }, 'onDeadline: found "die", allowed "tell", "interrupt"'],
    [{ onDisconnect: "" }, 'onDisconnect: found "", allowed "keep", "decline"'],
    [{ ownWords: null }, 'ownWords: found null, allowed "allow", "refuse"'],
    [{ token: "t" }, "url: missing"],
    [{ url: "http://x", home: "/y" }, 'home: found "/y", allowed one of home and url'],
    [{ deadLine: 5 }, "deadLine: unknown, allowed preset, tools,"],
  ]) {
    assert.throws(() => new Handraise(options), (error) => error.message.includes(message), message);
  }
});

test("presets are what their documents say", () => {
  assert.deepEqual(policy(PRESETS.gobby), {
    deadlineSeconds: 300,
    onDeadline: "tell",
    onDisconnect: "decline",
    ownWords: "allow",
    pauseWhileTyping: false,
  });
  assert.equal(PRESETS.gobby.tools, "approve");
  assert.deepEqual(policy(PRESETS["prime-agent"]), {
    deadlineSeconds: 55,
    onDeadline: "interrupt",
    onDisconnect: "keep",
    ownWords: "allow",
    pauseWhileTyping: false,
  });
});

test("answers are read", () => {
  for (const [first, second, answers] of [
    ["A", 'C, "D, E"', [{ selected: ["A"], words: null }, { selected: ["C", "D, E"], words: null }]],
    [
      "neither",
      ["D, E", "x", "y"],
      [{ selected: [], words: "neither" }, { selected: ["D, E"], words: "x, y" }],
    ],
    [null, "C, and z", [{ leftOpen: true }, { selected: ["C"], words: "and z" }]],
  ]) {
    assert.deepEqual(toApi(QUESTIONS, { "Which?": first, "Several?": second }), answers);
  }
});

test("gobby: invalid or extra keys are refused", () => {
  for (const [said, message] of [
    [{ "Which?": "A", "Several?": "C", "which?": "A" }, '"which?" names no question'],
    [{ "Which?": "A" }, '"Several?" has no answer'],
    [{ "Which?": " ", "Several?": "C" }, '"Which?" is answered with nothing'],
    [{ "Which?": "A", "Several?": [] }, '"Several?" is answered with nothing'],
  ]) {
    assert.throws(
      () => toApi(QUESTIONS, said),
      (error) => error.code === "invalid" && error.message.includes(`answers: ${message}`),
    );
  }
});
