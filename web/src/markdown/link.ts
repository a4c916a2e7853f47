/** Where a link of an agent's leads, if a person may follow it. */

const WELCOME = new Set(["http:", "https:", "mailto:"]);

/** The address and the name of the place, or null: what is no plain address stays text. */
export function destination(href: string): { href: string; place: string } | null {
  let url: URL;
  try {
    url = new URL(href);
  } catch {
    return null;
  }
  if (!WELCOME.has(url.protocol)) return null;
  return { href: url.href, place: url.host || url.pathname };
}
