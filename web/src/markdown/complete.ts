/** Whether what is drawn of a Markdown text says all of it. */

import type { Block } from "./parse";

/** With more columns a table does not fit a phone. */
const MOST_COLUMNS = 6;

/**
 * Whether every letter and digit of `text` is in what is drawn of its `blocks`, with whole addresses. The
 * title of a link, for one, is not drawn; a model that follows a plan reads it all the same.
 */
export function saysAll(text: string, blocks: Block[]): boolean {
  return bare(text) === bare(drawn(blocks));
}

/** Without the signs that Markdown is made of. */
const bare = (text: string) => text.replace(/[\s!-/:-@[-`{-~]/g, "").toLowerCase();

/** All text in a part, in its order; what `Markdown.svelte` draws of it. */
function drawn(part: unknown): string {
  if (Array.isArray(part)) return part.map(drawn).join("");
  // A box that is ticked.
  if (part === true) return "x";
  if (!part || typeof part !== "object") return `${part || ""}`;
  const { type, ordered, depth, href, ...rest } = part as Record<string, unknown>;
  const rows = type === "table" ? [rest.header, ...(rest.rows as unknown[])] : [];
  // Taken for a text without its words.
  if (rows.some((row) => (row as unknown[]).length > MOST_COLUMNS)) return "";
  const isItself = href === (rest.inline as unknown[] | undefined)?.[0];
  return drawn(Object.values(rest)) + (isItself ? "" : (href ?? ""));
}
