/**
 * Tool calls of agents, as cards. A call of AskUserQuestion is a form: `tool_status` shows it,
 * `ask_user_response` answers it.
 */

import { Line } from "../line.js";
import { element, settings, visible } from "../parts.js";
import { QuestionForm, answerText } from "../question.js";

/** How long a server may take, after the line came back, to say again what waits. */
const TOLD_AGAIN_MS = 2_000;

const part = (id) => document.getElementById(id);

const wanted = settings([
  { name: "ws", label: "WebSocket", type: "url", required: true, example: "wss://example.com/ws" },
]);
if (wanted) follow(wanted.ws);

function follow(address) {
  /** The cards, by their conversation and their call: other conversations may have calls of the same id. */
  const cards = new Map();
  /** Runs while the server may still say again what waits. */
  let telling = 0;
  const line = new Line(address, { opened, heard, lost });
  tell("Connecting…");

  function opened() {
    tell("Connected");
    telling = setTimeout(() => cards.forEach((card) => card.giveUp()), TOLD_AGAIN_MS);
  }

  function lost() {
    clearTimeout(telling);
    tell("Connection lost. Trying again…");
    cards.forEach((card) => card.doubt());
  }

  function heard(message) {
    if (message.type === "tool_status" && message.tool_name === "AskUserQuestion") update(message);
    if (message.type === "error") refuse(message);
  }

  function update(call) {
    let card = cards.get(key(call));
    if (!card) {
      // A call whose beginning was not heard has nothing to show.
      if (!call.arguments) return;
      card = new Card(call, (answers) => respondToQuestion(call, answers));
      cards.set(key(call), card);
      part("cards").append(card.element);
      part("nothing").hidden = true;
    }
    card.update(call);
  }

  function refuse(refusal) {
    const words = refusal.message ?? refusal.code;
    const card = cards.get(key(refusal));
    if (card) return card.refuse(words);
    part("trouble").textContent = visible(words);
    part("trouble").hidden = false;
  }

  function respondToQuestion({ conversation_id, tool_call_id }, answers) {
    line.send({ type: "ask_user_response", conversation_id, tool_call_id, answers });
  }

  function key({ conversation_id, tool_call_id }) {
    return JSON.stringify([conversation_id, tool_call_id]);
  }

  function tell(words) {
    part("status").textContent = words;
    part("status").dataset.active = line.isOpen;
  }
}

/** One call, from "calling" to "completed" or "error". */
class Card {
  /** The labels chosen for each question, by its place. */
  selectedOptions = {};
  /** The person's own words for each question, by its place. */
  otherTexts = {};
  submitted = false;
  /** Whether the call waits, as far as is known. */
  isWaiting = false;
  /** Whether the server has yet to say so on this connection. */
  isDoubtful = false;

  constructor(call, onRespond) {
    this.questions = call.arguments.questions;
    this.form = new QuestionForm(this.questions);
    this.state = element("span", { className: "state" });
    this.note = element("p", { className: "refusal", role: "alert", hidden: true });
    this.confirmed = element("dl", { className: "confirmed", hidden: true });
    this.submit = element("button", { className: "primary" }, "Submit");
    const title = element("h2", {}, "The agent asks");
    const place = element("p", { className: "about" }, visible(call.conversation_id));
    const form = element("form", {}, this.form.element, this.note, element("div", { className: "actions" }, this.submit));
    this.element = element(
      "li",
      { className: "panel" },
      element("div", { className: "title" }, title, this.state),
      place,
      this.confirmed,
      form,
    );
    form.addEventListener("change", () => this.choose());
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.choose();
      if (!this.form.check()) return;
      this.submitted = true;
      this.note.hidden = true;
      this.confirm(this.answers);
      this.show("Submitted");
      onRespond(this.answers);
    });
  }

  /** Keeps what the form shows, and marks it. */
  choose() {
    this.form.answers.forEach(({ labels, words }, n) => {
      this.selectedOptions[n] = labels;
      this.otherTexts[n] = words;
    });
    for (const option of this.element.querySelectorAll(".option")) {
      option.classList.toggle("ask-user-option-selected", option.querySelector("input").checked);
    }
  }

  /** `{"question text": "selected label"}` */
  get answers() {
    const entries = this.questions.map(({ question }, n) => {
      const words = this.otherTexts[n] ? [this.otherTexts[n]] : [];
      return [question, answerText({ chosen: [...this.selectedOptions[n], ...words] })];
    });
    return Object.fromEntries(entries);
  }

  update({ status, result, error }) {
    this.isDoubtful = false;
    switch (status) {
      case "calling":
        // Asked again after the line was lost: whatever was sent did not arrive.
        this.isWaiting = true;
        this.submitted = false;
        this.note.hidden = true;
        this.confirmed.hidden = true;
        this.show("Waiting");
        break;
      case "completed":
        this.isWaiting = false;
        this.note.hidden = true;
        this.confirm(result?.answers ?? {});
        this.show("Completed");
        break;
      case "error":
        // After an answer was taken it says that it did not arrive; else nothing of what is shown counts.
        this.confirmed.hidden = this.isWaiting;
        this.isWaiting = false;
        this.complain(error);
        this.show("Error");
        break;
    }
  }

  /** The server did not take what was submitted; the person may change it. */
  refuse(words) {
    this.complain(words);
    if (!this.submitted) return;
    this.submitted = false;
    this.confirmed.hidden = true;
    this.show("Waiting");
  }

  /** The line is lost: until the server says it again, nobody knows whether this still waits. */
  doubt() {
    if (!this.isWaiting) return;
    this.isDoubtful = true;
    this.show("Not connected");
  }

  /** The line is back, and the server has not said again that this waits: it ended meanwhile. */
  giveUp() {
    if (!this.isDoubtful) return;
    this.isDoubtful = false;
    this.isWaiting = false;
    if (this.submitted) this.complain("The line was lost before the server said whether this counts.");
    this.show("No longer waiting");
  }

  confirm(answers) {
    const entries = Object.entries(answers).flatMap(([question, answer]) => [
      element("dt", {}, visible(question)),
      element("dd", {}, visible(answer)),
    ]);
    this.confirmed.replaceChildren(...entries);
    this.confirmed.hidden = false;
  }

  complain(words) {
    this.note.textContent = visible(words);
    this.note.hidden = false;
  }

  show(state) {
    this.state.textContent = state;
    this.state.dataset.state = state;
    const isUsable = this.isWaiting && !this.submitted;
    // While the line is down the person may go on choosing and typing.
    this.form.disabled = this.submit.hidden = !isUsable;
    this.submit.disabled = this.isDoubtful;
    this.element.classList.toggle("ask-user-submitted", !isUsable);
  }
}
