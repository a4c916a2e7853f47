/**
 * Tool calls of agents, as cards. A call of AskUserQuestion is a form: `tool_status` shows it,
 * `ask_user_response` answers it.
 */

import { Line } from "../line.js";
import { element, settings, visible } from "../parts.js";
import { QuestionForm, answerText } from "../question.js";

const part = (id) => document.getElementById(id);

const wanted = settings([
  { name: "ws", label: "WebSocket", type: "url", required: true, example: "wss://example.com/ws" },
]);
if (wanted) follow(wanted.ws);

function follow(address) {
  /** The cards, by the id of their call. */
  const cards = new Map();
  const line = new Line(address, {
    opened: () => tell("Connected"),
    heard,
    lost: () => {
      tell("Connection lost. Trying again…");
      for (const card of cards.values()) card.doubt();
    },
  });
  tell("Connecting…");

  function heard(message) {
    if (message.type === "tool_status" && message.tool_name === "AskUserQuestion") update(message);
    if (message.type === "error") refuse(message);
  }

  function update(call) {
    let card = cards.get(call.tool_call_id);
    if (!card) {
      // A call whose beginning was not heard has nothing to show.
      if (!call.arguments) return;
      card = new Card(call, (answers) => respondToQuestion(call, answers));
      cards.set(call.tool_call_id, card);
      part("cards").append(card.element);
      part("nothing").hidden = true;
    }
    card.update(call);
  }

  function refuse({ tool_call_id: id, message, code }) {
    const card = cards.get(id);
    if (card) return card.refuse(message ?? code);
    part("trouble").textContent = visible(message ?? code);
    part("trouble").hidden = false;
  }

  function respondToQuestion({ conversation_id, tool_call_id }, answers) {
    line.send({ type: "ask_user_response", conversation_id, tool_call_id, answers });
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
  /** Whether the server has said on this connection that the call waits. */
  isWaiting = false;

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
    const entries = this.questions.map(({ question, multiSelect }, n) => {
      const words = this.otherTexts[n] ? [this.otherTexts[n]] : [];
      return [question, answerText({ multiSelect, chosen: [...this.selectedOptions[n], ...words] })];
    });
    return Object.fromEntries(entries);
  }

  update({ status, result, error }) {
    switch (status) {
      case "calling":
        // Asked again after the line was lost: whatever was sent did not arrive.
        this.isWaiting = true;
        this.submitted = false;
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

  /** The line is lost: unless the server says so again, nobody knows whether this still waits. */
  doubt() {
    if (!this.isWaiting) return;
    this.isWaiting = false;
    this.show("Not connected");
  }

  confirm(answers) {
    const entries = Object.entries(answers).flatMap(([question, answer]) => [
      element("dt", {}, visible(question)),
      element("dd", {}, visible(Array.isArray(answer) ? answer.join(", ") : answer)),
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
    this.form.disabled = !this.isWaiting || this.submitted;
    this.submit.hidden = !this.isWaiting || this.submitted;
    this.element.classList.toggle("ask-user-submitted", state !== "Waiting");
  }
}
