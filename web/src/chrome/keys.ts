/** What keys do, anywhere on the Waiting page. None of them answers: that takes two keys, or a button. */

export const KEYS: [string, string][] = [
  ["j  k", "to the next or previous card"],
  ["1 – 9", "choose or tick an option of the question one is at"],
  ["↑ ↓  Space", "move between options, tick"],
  ["Tab", "to the next question or button"],
  ["o", "write words of your own"],
  ["n", "add a note"],
  ["l", "leave the question open, or not"],
  ["x", "decline, with a reason"],
  ["d", "talk first"],
  ["f", "fold or unfold the card"],
  ["Ctrl Enter", "submit (⌘ Enter on a Mac)"],
  ["Esc", "leave a text; the words stay"],
  ["/", "filter"],
  ["?", "these keys"],
];

/** Whether a key typed here is text, or belongs to the control. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target.matches("textarea, select")) return true;
  return target instanceof HTMLInputElement && !["radio", "checkbox"].includes(target.type);
}

/** After so long without a key, whoever typed on has noticed. */
const NOTICED_MS = 1_000;
let typedOn = -Infinity;

/** A field has gone under the typing. What follows is still words, and no keys, until there is a pause. */
export function fieldGone(): void {
  typedOn = performance.now();
}

function isTypedOn(): boolean {
  const typing = performance.now() - typedOn < NOTICED_MS;
  if (typing) typedOn = performance.now();
  return typing;
}

export function handle(event: KeyboardEvent, showKeys: () => void): void {
  if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (event.key === "Escape" && isTyping(event.target)) {
    const card = (event.target as HTMLElement).closest<HTMLElement>("[data-ask]");
    (event.target as HTMLElement).blur();
    card?.focus();
    return;
  }
  if (isTyping(event.target) || document.querySelector("dialog[open]") || isTypedOn()) return;
  if (act(event.key, showKeys)) event.preventDefault();
}

function act(key: string, showKeys: () => void): boolean {
  if (key === "?") {
    showKeys();
    return true;
  }
  if (key === "/") return focus(document.querySelector('input[type="search"]'));
  const cards = [...document.querySelectorAll<HTMLElement>("[data-ask]")];
  const card = document.activeElement?.closest<HTMLElement>("[data-ask]") ?? null;
  if (key === "j" || key === "k") {
    const at = card ? cards.indexOf(card) + (key === "j" ? 1 : -1) : 0;
    return focus(cards[Math.min(Math.max(at, 0), cards.length - 1)]);
  }
  return card ? inCard(key, card) : false;
}

function inCard(key: string, card: HTMLElement): boolean {
  if (key === "f") return press(card.querySelector("header button"));
  if (key === "x") return press(card.querySelector('[data-way="decline"]'));
  if (key === "d") return press(card.querySelector('[data-way="discuss"]'));
  const questions = [...card.querySelectorAll<HTMLElement>("[data-question]")];
  const question = questions.find((one) => one.contains(document.activeElement)) ?? questions[0];
  if (!question) return false;
  if (/^[1-9]$/.test(key)) {
    const option = question.querySelector<HTMLElement>(`[data-option="${key}"]`);
    return focus(option) && press(option);
  }
  if (key === "o") return focus(question.querySelector("[data-words]"));
  if (key === "l") return press(question.querySelector("[data-leave]"));
  if (key === "n") return focus(question.querySelector("[data-note]")) || press(question.querySelector("[data-add-note]"));
  return false;
}

function focus(element: HTMLElement | null | undefined): boolean {
  element?.focus();
  return !!element;
}

function press(element: HTMLElement | null | undefined): boolean {
  element?.click();
  return !!element;
}
