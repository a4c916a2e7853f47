/** Times as people say them. */

const UNITS: [number, string][] = [
  [86_400, "d"],
  [3_600, "h"],
  [60, "min"],
  [1, "s"],
];

/** `12 s`, `4 min`, `3 h 20 min`: never more than two units, and no seconds beside others. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const at = UNITS.findIndex(([size]) => seconds >= size);
  const [size, unit] = UNITS[at < 0 ? UNITS.length - 1 : at] as [number, string];
  const rest = UNITS[at + 1];
  const said = `${Math.floor(seconds / size)} ${unit}`;
  const more = rest && rest[0] > 1 ? Math.floor((seconds % size) / rest[0]) : 0;
  return more && rest ? `${said} ${more} ${rest[1]}` : said;
}

/** `4:09`, for what runs out. */
export function countdown(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  if (seconds >= 3600) return duration(seconds * 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** `14:03` today, with the date on other days. */
export function clock(at: string, now: Date = new Date()): string {
  const time = new Date(at);
  const today = time.toDateString() === now.toDateString();
  return time.toLocaleString(undefined, today ? { timeStyle: "short" } : { dateStyle: "medium", timeStyle: "short" });
}
