/**
 * A chat with an agent that may ask the person something, over one WebSocket: the messages
 * `session_status`, `ask_user_question`, `ask_user_timeout` and `ask_user_response`.
 */

import { Line } from "../line.js";
import { element, settings, visible } from "../parts.js";
import { QuestionForm, answerText } from "../question.js";

const NOT_ASKED = "This question is not asked any more.";

const part = (id) => document.getElementById(id);

const wanted = settings([
  { name: "ws", label: "WebSocket", type: "url", required: true, example: "wss://example.com/chat/session-123" },
]);
if (wanted) chat(wanted.ws);

function chat(address) {
  /** The last `session_status`. */
  let session = {};
  /** What is being asked: `{id, form, deadline, isSent, said}`. */
  let asked = null;
  /** Whether another window has the session. */
  let isTaken = false;
  /** The log's entry for the end of each question. */
  const ends = new Map();

  const line = new Line(address, { opened: show, heard, lost: show });
  show();
  setInterval(countDown, 250);
  part("prompt-form").addEventListener("submit", (event) => {
    event.preventDefault();
    if (!asked.form.check()) return;
    const answers = asked.form.answers.map((answer) => [answer.question, answerText(answer)]);
    respond(Object.fromEntries(answers), false);
  });
  part("cancel").addEventListener("click", () => respond({}, true));
  part("take-back").addEventListener("click", () => line.open());
  part("chat").addEventListener("submit", (event) => {
    event.preventDefault();
    const content = part("words").value.trim();
    if (!content) return;
    line.send({ type: "user_message", data: { content } });
    note("you", content);
    part("words").value = "";
  });

  function heard(message) {
    switch (message.type) {
      case "session_status":
        session = message;
        take(false);
        if (asked && message.pending_question_id !== asked.id) end(NOT_ASKED);
        break;
      case "ask_user_question":
        take(false);
        ask(message);
        break;
      case "ask_user_timeout":
        timeOut(message);
        break;
      case "error":
        refuse(message);
        break;
    }
    show();
  }

  function ask({ question_id: id, questions, timeout_seconds: seconds }) {
    const deadline = seconds === null ? Infinity : Date.now() + seconds * 1000;
    if (asked?.id === id) {
      // A replay: what the person has chosen and typed stays. How much time there is, the server knows.
      asked.deadline = deadline;
      reopen();
      return;
    }
    if (asked) end(NOT_ASKED);
    asked = { id, form: new QuestionForm(questions), deadline, isSent: false, said: null };
    part("questions").replaceChildren(asked.form.element);
    part("refusal").hidden = true;
    // Open, but not modal: a stray Escape must not answer for the person.
    part("prompt").show();
    part("prompt").scrollIntoView({ block: "nearest" });
  }

  function respond(answers, cancelled) {
    line.send({ type: "ask_user_response", data: { question_id: asked.id, answers, cancelled } });
    asked.isSent = true;
    asked.said = cancelled ? null : asked.form.answers;
    part("refusal").hidden = true;
    show();
  }

  function timeOut({ question_id: id, error }) {
    if (asked?.id === id) {
      // Whatever was sent from here came too late.
      reopen();
      return end(error);
    }
    // The status may have told before that it is over, but not why.
    const told = ends.get(id);
    if (told) told.textContent = visible(error);
    else note("event", error);
  }

  /** The question is over: what was answered here, or else why it ended, stays in the log. */
  function end(why) {
    for (const { question, chosen } of asked.said ?? []) note("you", chosen.join(", "), question);
    if (!asked.said) {
      const about = asked.form.answers.map(({ question }) => question).join("\n");
      ends.set(asked.id, note("event", why, about));
    }
    asked = null;
    part("questions").replaceChildren();
    part("prompt").close();
  }

  function refuse({ error, message, question_id: id }) {
    if (error === "session_taken") return take(true);
    const words = message ?? error;
    if (!asked || (id && id !== asked.id)) return note("event", words);
    reopen();
    part("refusal").textContent = visible(words);
    part("refusal").hidden = false;
  }

  function take(taken) {
    isTaken = taken;
    // Two windows that come back by themselves would take the session from each other for ever.
    line.resting = taken;
    if (taken && asked) reopen();
  }

  /** What was sent did not count: the person may send it again. */
  function reopen() {
    asked.isSent = false;
    asked.said = null;
  }

  /** Brings the page in line with what is known. */
  function show() {
    const isActive = line.isOpen && !isTaken;
    const isWaiting = session.waiting_for_user === true;
    part("status").textContent = statusText(isActive, isWaiting);
    part("status").dataset.active = isActive;
    part("taken").hidden = !isTaken;
    part("words").disabled = part("send").disabled = !isActive || isWaiting;
    part("words").placeholder = isWaiting ? "The agent waits for your answer first." : "";
    if (!asked) return;
    // While the line is down the person may go on choosing and typing.
    asked.form.disabled = isTaken || asked.isSent;
    part("submit").disabled = part("cancel").disabled = !isActive || asked.isSent;
    part("submit").textContent = asked.isSent ? "Sent…" : "Submit";
    countDown();
  }

  function statusText(isActive, isWaiting) {
    if (isTaken) return "Taken by another window";
    if (!isActive) return session.type ? "Connection lost. Trying again…" : "Connecting…";
    if (isWaiting) return "Waiting for your answer";
    return session.is_processing ? "The agent is working" : "The agent is idle";
  }

  function countDown() {
    if (!asked) return;
    const left = Math.ceil((asked.deadline - Date.now()) / 1000);
    // What is still asked when its time should be up got more of it, and nobody has said how much.
    part("countdown").textContent = left > 0 && Number.isFinite(left) ? `${left} s left` : "";
  }

  function note(kind, text, about) {
    const heading = about ? [element("span", { className: "about" }, visible(about))] : [];
    const said = element("span", { className: "said" }, visible(text));
    part("log").append(element("div", { className: kind }, ...heading, said));
    return said;
  }
}
