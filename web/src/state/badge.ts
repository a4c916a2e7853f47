/** How many wait, and how many alarms there are, in the tab's title and picture. */

const PLAIN = "/favicon.svg";

export function badge(count: number, offline: boolean): void {
  document.title = `${count ? `(${count}) ` : ""}Handraise${offline ? " · offline" : ""}`;
  const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  if (link) link.href = count ? `data:image/svg+xml,${encodeURIComponent(picture(count))}` : PLAIN;
}

function picture(count: number): string {
  const said = count > 99 ? "99+" : String(count);
  const size = said.length > 2 ? 13 : said.length > 1 ? 17 : 20;
  return (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">' +
    '<rect width="32" height="32" rx="8" fill="#4f46e5"/>' +
    `<text x="16" y="${16 + size * 0.36}" font-family="sans-serif" font-weight="700" font-size="${size}" ` +
    `text-anchor="middle" fill="#fff">${said}</text></svg>`
  );
}
