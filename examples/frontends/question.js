/** Questions as forms: radio buttons or checkboxes, and a field for the person's own words. */

import { element, visible } from "./parts.js";

let groups = 0;

/** All questions of one call. */
export class QuestionForm {
  constructor(questions) {
    this.fields = questions.map((question) => new QuestionField(question));
    this.element = element("div", { className: "questions" }, ...this.fields.map((field) => field.element));
  }

  /** What was chosen so far, for each question: the labels in the agent's order, the own words, and both. */
  get answers() {
    return this.fields.map((field) => field.answer);
  }

  set disabled(disabled) {
    for (const field of this.fields) field.element.disabled = disabled;
  }

  /** Whether every question has an answer; the first that has none says so. */
  check() {
    for (const field of this.fields) field.missing.hidden = field.isAnswered;
    const open = this.fields.find((field) => !field.isAnswered);
    open?.inputs[0].focus();
    return !open;
  }
}

/** What was chosen for one question, as text: several are joined. */
export function answerText({ chosen }) {
  return chosen.join(", ");
}

/** One question. Exactly one of its options opens the field for own words: the agent's "Other", or else ours. */
class QuestionField {
  constructor(question) {
    this.question = question;
    const kind = { type: question.multiSelect ? "checkbox" : "radio", name: `question-${++groups}` };
    const own = question.options ?? [];
    const place = own.findIndex(({ label }) => String(label).trim().toLowerCase() === "other");
    this.options = place < 0 ? [...own, { label: "Other" }] : own;
    this.inputs = this.options.map(() => element("input", kind));
    // Without one of the agent's it is the last, which is ours.
    this.other = this.inputs.at(place);
    this.missing = element("p", { className: "missing", hidden: true }, "This one has no answer yet.");
    this.text = element("textarea", { rows: 2 });
    const words = element("label", { className: "words", hidden: true }, "Your own words", this.text);
    this.element = element(
      "fieldset",
      {},
      legend(question),
      ...this.options.map((option, n) => choice(this.inputs[n], option)),
      words,
      this.missing,
    );
    // With each key, not when the field is left: what moves then is the button that was about to be pressed.
    this.element.addEventListener("input", (event) => {
      words.hidden = !this.other.checked;
      this.missing.hidden = true;
      if (event.target === this.other && this.other.checked) this.text.focus();
    });
  }

  get answer() {
    const ticked = this.options.filter((_, n) => this.inputs[n].checked && this.inputs[n] !== this.other);
    const labels = ticked.map(({ label }) => label);
    const words = this.other.checked ? this.text.value.trim() : "";
    return { question: this.question.question, labels, words, chosen: words ? [...labels, words] : labels };
  }

  /** An "Other" without words is no answer, whatever else is ticked. */
  get isAnswered() {
    const { labels, words } = this.answer;
    return this.other.checked ? words !== "" : labels.length > 0;
  }
}

function legend({ header, question }) {
  const tag = header ? [element("span", { className: "header" }, visible(header)), " "] : [];
  return element("legend", {}, ...tag, element("span", { className: "question" }, visible(question)));
}

function choice(input, { label, description }) {
  const about = description ? [" ", element("span", { className: "description" }, visible(description))] : [];
  const text = element("span", {}, element("span", { className: "label" }, visible(label)), ...about);
  return element("label", { className: "option" }, input, text);
}
