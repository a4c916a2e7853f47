/**
 * One agent's detail view: asks every three seconds whether the agent waits for an answer, shows all that
 * waits in one dialog, and posts the labels that were chosen, as one list.
 */

import { element, settings, visible } from "../parts.js";
import { QuestionForm } from "../question.js";

const POLL_MS = 3_000;
const PATIENCE_MS = 15_000;
const CHANGED = "What the agent asks has changed. Nothing was sent: look at it again.";

const part = (id) => document.getElementById(id);

const wanted = settings([
  { name: "server", label: "Server", type: "url", required: true, example: "https://example.com" },
  { name: "agent", label: "Agent", type: "text", required: true, example: "agent-pan-1" },
  { name: "token", label: "Token, if the server wants one", type: "password", required: false, example: "" },
]);
if (wanted) view(wanted);

function view({ server, agent, token }) {
  const address = `${server.replace(/\/+$/, "")}/api/agents/${encodeURIComponent(agent)}`;
  /** The calls in the dialog, the oldest first: `{key, form}`. */
  let shown = [];
  /** Calls that were answered here; the server may list them a moment longer. */
  const answered = new Set();
  /** The last request. */
  let last = Promise.resolve();

  part("agent").textContent = visible(agent);
  part("form").addEventListener("submit", (event) => {
    event.preventDefault();
    if (shown.every(({ form }) => form.check())) submit();
  });
  part("skip").addEventListener("click", skip);
  // Escape is Skip: both only put the dialog away, on this page.
  part("dialog").addEventListener("close", () => shown.length && skip());
  part("show").addEventListener("click", open);
  tell("Connecting…", false);
  poll();

  /**
   * One request at a time. An answer names no call: a server can only take it for what it told last, and
   * with a look on its way as well that may be something this page has never shown.
   */
  function inTurn(deed) {
    last = last.then(deed, deed);
    return last;
  }

  async function poll() {
    await inTurn(look).catch((trouble) => tell(trouble.message, false));
    setTimeout(poll, POLL_MS);
  }

  /** Asks what waits, and shows it. */
  async function look() {
    const { pending, questions } = await call("pending-questions");
    const calls = (pending ? questions : []).map((call) => ({ ...call, key: key(call) }));
    const waiting = calls.filter(({ key }) => !answered.has(key));
    tell(waiting.length ? "Waiting for your input" : "Nothing is asked", true);
    show(waiting);
  }

  /** Calls of two sessions may have the same id, and a call may be asked anew. */
  function key({ sessionId, toolId, timestamp }) {
    return JSON.stringify([sessionId, toolId, timestamp]);
  }

  /** Shows these calls and no others. What was chosen and typed stays where a call still waits. */
  function show(waiting) {
    const former = shown;
    if (waiting.length === former.length && waiting.every(({ key }, n) => key === former[n].key)) return;
    shown = waiting.map(({ key, questions }) => {
      return former.find((call) => call.key === key) ?? { key, form: new QuestionForm(questions) };
    });
    for (const { form } of former.filter((call) => !shown.includes(call))) {
      note("event", "This question is not asked any more.", form.answers.map(({ question }) => question).join("\n"));
    }
    place(shown.map(({ form }) => form.element));
    complain("");
    if (!shown.length) close();
    else if (shown.some((call) => !former.includes(call))) open();
  }

  /** Puts these into the dialog. One that stays is not touched: whoever types in it goes on typing. */
  function place(elements) {
    const box = part("questions");
    for (const child of [...box.children]) if (!elements.includes(child)) child.remove();
    elements.forEach((element, n) => {
      if (box.children[n] !== element) box.insertBefore(element, box.children[n] ?? null);
    });
  }

  function open() {
    part("skipped").hidden = true;
    if (!part("dialog").open) part("dialog").showModal();
  }

  function close() {
    part("skipped").hidden = true;
    part("dialog").close();
  }

  function skip() {
    part("dialog").close();
    part("skipped").hidden = false;
  }

  async function submit() {
    const calls = shown;
    complain("");
    setBusy(true);
    try {
      await inTurn(async () => {
        // A look whose answer got lost has counted for the server all the same.
        await look();
        if (shown !== calls) throw new Error(CHANGED);
        await answer(calls.flatMap(({ form }) => form.answers));
      });
    } catch ({ message }) {
      if (!shown.length) note("event", message);
      else {
        complain(message);
        open();
      }
    }
    setBusy(false);
  }

  async function answer(all) {
    // The labels of all questions in one list, and after a question's labels the person's own words.
    await call("answer-question", { answers: all.flatMap(({ chosen }) => chosen) });
    for (const { question, chosen } of all) note("you", chosen.join(", "), question);
    for (const { key } of shown) answered.add(key);
    shown = [];
    place([]);
    close();
    tell("Answered", true);
  }

  function setBusy(isBusy) {
    for (const { form } of shown) form.disabled = isBusy;
    part("submit").disabled = part("skip").disabled = isBusy;
  }

  async function call(what, body) {
    const headers = token ? { authorization: `Bearer ${token}` } : {};
    const request = body && { method: "POST", body: JSON.stringify(body) };
    if (body) headers["content-type"] = "application/json";
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const response = await fetch(`${address}/${what}`, { ...request, headers, signal, cache: "no-store" }).catch(() => {
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
