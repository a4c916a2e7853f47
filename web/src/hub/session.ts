/** Who this browser is to the hub: kept in localStorage, never in a cookie or an address. */

import type { DeviceJson } from "../generated/v1";
import * as storage from "../state/storage";
import { Api } from "./api";

export type Session = { token: string; device: DeviceJson };

const KEPT = "handraise.session";

export function kept(): Session | null {
  try {
    const session = JSON.parse(storage.read(KEPT) ?? "null") as Session | null;
    return session && typeof session.token === "string" ? session : null;
  } catch {
    return null;
  }
}

/** Without room for it, the session ends with the page. */
export function keep(session: Session): void {
  storage.write(KEPT, JSON.stringify(session));
}

export function forget(): void {
  storage.remove(KEPT);
}

/** The secret of a login link, from a whole link or from what is behind its `#login=`. */
export function secretIn(text: string): string | null {
  const found = /(?:^|#login=|^login=)([\w-]{20,})\s*$/.exec(text.trim());
  return found?.[1] ?? null;
}

/** Exchanges a link's secret for a session, keeps it, and goes where the link leads. */
export async function logIn(secret: string): Promise<Session> {
  const { ask, ...session } = await new Api(null).login({ secret, name: deviceName(navigator.userAgent) });
  keep(session);
  if (ask) location.replace(`#/ask/${ask}`);
  return session;
}

/** E.g. `Firefox on Android`: what a person recognises in a list of devices. */
export function deviceName(agent: string): string {
  const first = (names: [RegExp, string][], otherwise: string) =>
    names.find(([pattern]) => pattern.test(agent))?.[1] ?? otherwise;
  const browser = first(
    [
      [/Edg\//, "Edge"],
      [/OPR\//, "Opera"],
      [/Firefox\/|FxiOS\//, "Firefox"],
      [/Chrome\/|CriOS\//, "Chrome"],
      [/Safari\//, "Safari"],
    ],
    "Browser",
  );
  const system = first(
    [
      [/Android/, "Android"],
      [/iPhone/, "iPhone"],
      [/iPad/, "iPad"],
      [/Windows/, "Windows"],
      [/Mac OS X/, "Mac"],
      [/CrOS/, "ChromeOS"],
      [/Linux/, "Linux"],
    ],
    "an unknown system",
  );
  return `${browser} on ${system}`;
}
