/** One try to say something to the hub. */

/** The same words tried again carry the same key, so that they count once. */
export type Attempt = { body: string; key: string };

export function attempt(before: Attempt | null, said: unknown): Attempt {
  const body = JSON.stringify(said);
  return before?.body === body ? before : { body, key: randomKey() };
}

/** Not `crypto.randomUUID`: over plain HTTP from another machine there is none. */
export function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
