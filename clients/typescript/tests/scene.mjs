// One session of the real SDK, told by JSON what to do: what the end-to-end tests run.
//
// {"options": {}, "prompt": "", "mode": "default", "cancel": true, "front_end": [{}]} on the command
// line; one line of JSON for each thing that happens.
import { query } from "@anthropic-ai/claude-agent-sdk";
import { Handraise, HandraiseError } from "handraise";

const say = (what) => console.log(JSON.stringify(what));

const told = JSON.parse(process.argv[2]);
const camel = (name) => name.replace(/_(.)/g, (_, letter) => letter.toUpperCase());
const given = Object.entries(told.options ?? {}).map(([name, value]) => [camel(name), value]);
const hand = new Handraise(Object.fromEntries(given));

/** The SDK can be interrupted only when it is told its prompts one by one. */
async function* prompts() {
  const message = { role: "user", content: told.prompt };
  yield { type: "user", message, parent_tool_use_id: null, session_id: "" };
  await over;
}
let end;
const over = new Promise((resolve) => (end = resolve));

async function untilItWaits() {
  while (hand.waiting.length === 0) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** A front end of the program's own, which tries one answer after the other. */
async function answerHere(answers) {
  await untilItWaits();
  for (const answer of answers) {
    try {
      await hand.answer(hand.waiting[0].askId, answer);
      say({ front_end: "answered" });
    } catch (error) {
      if (!(error instanceof HandraiseError)) {
        throw error;
      }
      say({ front_end: error.code, message: error.message });
    }
  }
}

const session = query({
  prompt: prompts(),
  options: {
    canUseTool: hand.canUseTool,
    env: hand.environment,
    permissionMode: told.mode ?? "default",
  },
});
if (told.front_end) {
  void answerHere(told.front_end);
}
if (told.cancel) {
  void untilItWaits().then(() => session.interrupt());
}
for await (const message of session) {
  if (message.type === "result") {
    say({ result: message.result, subtype: message.subtype });
    break;
  }
}
end();
// From here on nothing holds the process but what was left behind.
process.on("beforeExit", () => say({ waiting: hand.waiting.length }));
