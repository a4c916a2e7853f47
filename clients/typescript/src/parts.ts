/**
 * Several choices in one string, and back: the form Claude Code writes and recognises.
 *
 * Claude Code compares encoded labels and decodes nothing: a label that holds a comma followed by a
 * space, or a double quote, must be a JSON string; every other label must stand exactly as it is.
 */
import { type Question, choices } from "./questions.js";

const SEPARATOR = ", ";

/** The answer to one question as one string. */
export function write(question: Question, selected: string[], words: string | null): string {
  const [first] = selected;
  if (!question.multiSelect) {
    return first ?? words ?? "";
  }
  // One label alone stays raw, unless that reads as several others.
  const alone = selected.length === 1 && words === null;
  if (alone && first !== undefined && labelsOnly(question, first).length === 0) {
    return first;
  }
  const parts = selected.map(encodeLabel);
  return (words === null ? parts : [...parts, encodeWords(words)]).join(SEPARATOR);
}

/** The inverse of `write`: the chosen labels and the own words in `text`. */
export function read(
  question: Question,
  text: string,
): { selected: string[]; words: string | null } {
  let selected = question.multiSelect ? labelsOnly(question, text) : [];
  if (selected.length === 0 && choices(question).some((option) => option.label === text)) {
    selected = [text];
  }
  if (selected.length > 0) {
    return { selected, words: null };
  }
  if (!question.multiSelect) {
    return { selected: [], words: text };
  }
  const { labels, rest } = leadingLabels(question, text);
  return { selected: labels, words: decodeWords(rest) };
}

function needsQuotes(part: string): boolean {
  return part.includes(SEPARATOR) || part.includes('"');
}

function encodeLabel(label: string): string {
  return needsQuotes(label) ? JSON.stringify(label) : label;
}

/** Own words keep their newlines, and are quoted only to mark their end. */
function encodeWords(words: string): string {
  return needsQuotes(words) ? `"${words.replace(/["\\]/g, "\\$&")}"` : words;
}

function decodeWords(text: string): string {
  const inner = /^"((?:[^"\\]|\\["\\])*)"$/.exec(text)?.[1];
  const words = inner?.replace(/\\(["\\])/g, "$1");
  // Quotes that were not needed were not ours: they belong to the words.
  return words !== undefined && needsQuotes(words) ? words : text;
}

/** The labels, if `text` is made of encoded labels and nothing else. */
function labelsOnly(question: Question, text: string): string[] {
  const { labels, rest } = leadingLabels(question, text);
  return rest === "" ? labels : [];
}

/** The encoded labels `text` starts with, and what follows them. */
function leadingLabels(question: Question, text: string): { labels: string[]; rest: string } {
  const offered = choices(question).map((option) => option.label);
  const labels: string[] = [];
  let rest = text;
  while (rest !== "") {
    const label = offered.find((label) => {
      const encoded = encodeLabel(label);
      const after = rest.slice(encoded.length);
      // A separator with nothing behind it is text, not an end.
      const goesOn = after.startsWith(SEPARATOR) && after !== SEPARATOR;
      return rest.startsWith(encoded) && (after === "" || goesOn);
    });
    if (label === undefined) {
      break;
    }
    labels.push(label);
    rest = rest.slice(encodeLabel(label).length + SEPARATOR.length);
  }
  return { labels, rest };
}
