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

/**
 * What was chosen for one question, as text: several are joined with ", ". Where a comma or a quote in one of
 * them would blur that, it is a list.
 */
export function answerText({ multiSelect, chosen }) {
  const isBlurred = multiSelect && chosen.some((text) => /[,"]/.test(text));
  return isBlurred ? chosen : chosen.join(", ");
}

/** One question. Options are known by their place, not by their label: an agent may say "Other", too. */
class QuestionField {
  constructor(question) {
    this.question = question;
    const kind = { type: question.multiSelect ? "checkbox" : "radio", name: `question-${++groups}` };
    const options = question.options ?? [];
    this.inputs = [...options, null].map(() => element("input", kind));
    this.missing = element("p", { className: "missing", hidden: true }, "This one has no answer yet.");
    this.text = element("textarea", { rows: 2 });
    const words = element("label", { className: "words", hidden: true }, "Your own words", this.text);
    this.element = element(
      "fieldset",
      {},
      legend(question),
      ...options.map((option, n) => choice(this.inputs[n], option)),
      choice(this.other, { label: "Other" }),
      words,
      this.missing,
    );
    this.element.addEventListener("change", (event) => {
      words.hidden = !this.other.checked;
      this.missing.hidden = true;
      if (event.target === this.other && this.other.checked) this.text.focus();
    });
  }

  get other() {
    return this.inputs.at(-1);
  }

  get answer() {
    const { question, options = [], multiSelect } = this.question;
    const labels = options.filter((_, n) => this.inputs[n].checked).map(({ label }) => label);
    const words = this.other.checked ? this.text.value.trim() : "";
    return { question, multiSelect, labels, words, chosen: words ? [...labels, words] : labels };
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
