/**
 * One agent's detail view: asks every three seconds whether the agent waits for an answer, shows its
 * questions in a dialog, and posts the labels that were chosen.
 */

import { element, settings, visible } from "../parts.js";
import { QuestionForm } from "../question.js";

const POLL_MS = 3_000;

const part = (id) => document.getElementById(id);

const wanted = settings([
  { name: "server", label: "Server", type: "url", required: true, example: "https://example.com" },
  { name: "agent", label: "Agent", type: "text", required: true, example: "agent-pan-1" },
  { name: "token", label: "Token, if the server wants one", type: "password", required: false, example: "" },
]);
if (wanted) view(wanted);

function view({ server, agent, token }) {
  const address = `${server.replace(/\/+$/, "")}/api/agents/${encodeURIComponent(agent)}`;
  /** What the dialog shows: `{toolId, form, isSent}`. */
  let shown = null;
  /** Calls that were answered here; the server may list them a moment longer. */
  const answered = new Set();

  part("agent").textContent = visible(agent);
  part("form").addEventListener("submit", (event) => {
    event.preventDefault();
    if (shown.form.check()) submit();
  });
  part("skip").addEventListener("click", skip);
  // Escape is Skip: both only put the dialog away, on this page.
  part("dialog").addEventListener("close", () => shown && skip());
  part("show").addEventListener("click", open);
  tell("Connecting…", false);
  poll();

  async function poll() {
    try {
      const { pending, questions } = await call("pending-questions");
      // The answer names no call, so only the first is shown: the labels of another would be taken for it.
      update(pending ? questions.find(({ toolId }) => !answered.has(toolId)) : null);
    } catch (trouble) {
      tell(trouble.message, false);
    }
    setTimeout(poll, POLL_MS);
  }

  function update(question) {
    tell(question ? "Waiting for your input" : "Nothing is asked", true);
    // What was chosen stays as long as the same call waits.
    if (question?.toolId === shown?.toolId) return;
    if (shown && !shown.isSent) {
      const about = shown.form.answers.map((answer) => answer.question).join("\n");
      note("event", "This question is not asked any more.", about);
    }
    put(question);
  }

  /** Shows another question, or none. */
  function put(question) {
    shown = question ? { toolId: question.toolId, form: new QuestionForm(question.questions), isSent: false } : null;
    part("questions").replaceChildren(...(shown ? [shown.form.element] : []));
    part("submit").disabled = part("skip").disabled = false;
    complain("");
    part("skipped").hidden = true;
    if (shown) open();
    else part("dialog").close();
  }

  function open() {
    part("skipped").hidden = true;
    if (!part("dialog").open) part("dialog").showModal();
  }

  function skip() {
    part("dialog").close();
    part("skipped").hidden = false;
  }

  async function submit() {
    const { toolId, form } = shown;
    // The labels of all questions in one list, and after a question's labels the person's own words.
    const answers = form.answers.flatMap(({ chosen }) => chosen);
    send(true);
    try {
      await call("answer-question", { answers });
      answered.add(toolId);
      for (const { question, chosen } of form.answers) note("you", chosen.join(", "), question);
      if (shown?.toolId === toolId) put(null);
      tell("Answered", true);
    } catch (trouble) {
      if (shown?.toolId !== toolId) return note("event", trouble.message);
      complain(trouble.message);
      send(false);
    }
  }

  function send(isSent) {
    shown.isSent = isSent;
    shown.form.disabled = isSent;
    part("submit").disabled = part("skip").disabled = isSent;
  }

  async function call(what, body) {
    const headers = token ? { authorization: `Bearer ${token}` } : {};
    const request = body && { method: "POST", body: JSON.stringify(body) };
    if (body) headers["content-type"] = "application/json";
    const response = await fetch(`${address}/${what}`, { ...request, headers, cache: "no-store" }).catch(() => {
      throw new Error("The server cannot be reached.");
    });
    const said = await response.json().catch(() => null);
    if (response.ok && said) return said;
    const words = [said?.error ?? `The server said ${response.status}`, said?.reason];
    throw new Error(words.filter(Boolean).join(": "));
  }

  function tell(words, isActive) {
    part("status").textContent = visible(words);
    part("status").dataset.active = isActive;
  }

  function complain(words) {
    part("refusal").textContent = visible(words);
    part("refusal").hidden = !words;
  }

  function note(kind, text, about) {
    const heading = about ? [element("span", { className: "about" }, visible(about))] : [];
    const said = element("span", { className: "said" }, visible(text));
    part("log").append(element("div", { className: kind }, ...heading, said));
  }
}
