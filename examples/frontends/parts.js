/** What all three pages are made of: elements, text that hides nothing, and where the server is. */

/**
 * An element with these properties and children. A child that is text becomes a text node: what an agent
 * wrote is never read as HTML.
 */
export function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

/** Controls other than tab and newline, and characters that reorder text or take no room. */
const HIDING =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]/g;

/** The text as a person may look at it: `␛` for an escape, `<U+202E>` for a reversal. Never send this. */
export function visible(text) {
  return String(text).replace(/\r\n/g, "\n").replace(HIDING, (character) => {
    const code = character.codePointAt(0);
    if (code < 0x20) return String.fromCodePoint(0x2400 + code);
    return `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
  });
}

/**
 * The settings in the page's fragment, which never leaves the browser: `#name=value&other=value`.
 *
 * Without all that is required it is `null`, and a small form asks for them. The page starts anew when
 * the fragment changes.
 */
export function settings(wanted) {
  addEventListener("hashchange", () => location.reload());
  const given = new URLSearchParams(location.hash.slice(1));
  if (wanted.every(({ name, required }) => !required || given.get(name))) {
    return Object.fromEntries(wanted.map(({ name }) => [name, given.get(name) ?? ""]));
  }
  document.querySelector("main").replaceChildren(settingsForm(wanted, given));
  return null;
}

function settingsForm(wanted, given) {
  const inputs = wanted.map(({ name, type, required, example }) =>
    element("input", { name, type, required, placeholder: example, value: given.get(name) ?? "", autocomplete: "off" }),
  );
  const labels = wanted.map(({ label }, n) => element("label", { className: "setting" }, label, inputs[n]));
  const form = element(
    "form",
    { className: "panel" },
    element("h2", {}, "Where is the server?"),
    ...labels,
    element("div", { className: "actions" }, element("button", { className: "primary" }, "Connect")),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    location.hash = new URLSearchParams(inputs.map(({ name, value }) => [name, value.trim()])).toString();
  });
  return form;
}
