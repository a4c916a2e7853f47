/** JSON without a loss: a number that JavaScript cannot hold stays the digits it was written with. */

type Source = { source?: string };
type Exact = { rawJSON?: (text: string) => unknown };

const { rawJSON } = JSON as typeof JSON & Exact;

function exact(_: string, value: unknown, context?: Source): unknown {
  const source = context?.source;
  if (typeof value !== "number" || source === undefined || !rawJSON) return value;
  return String(value) === source.replace(/\.0$/, "") ? value : rawJSON(source);
}

/** What `JSON.parse` reads; `JSON.stringify` writes it as it came. */
export function read(text: string): unknown {
  return JSON.parse(text, exact as (key: string, value: unknown) => unknown);
}
