/** What this browser keeps for us; it may be full, or closed altogether. */

/** For all tabs, or for this one alone: that outlives a reload, and nothing more. */
type Place = "localStorage" | "sessionStorage";

export function read(name: string, place: Place = "localStorage"): string | null {
  try {
    return globalThis[place].getItem(name);
  } catch {
    return null;
  }
}

/** Whether there was room. */
export function write(name: string, value: string, place: Place = "localStorage"): boolean {
  try {
    globalThis[place].setItem(name, value);
    return true;
  } catch {
    return false;
  }
}

export function remove(name: string, place: Place = "localStorage"): void {
  try {
    globalThis[place].removeItem(name);
  } catch {
    // Then it was never there.
  }
}

export function names(): string[] {
  try {
    return Object.keys(localStorage);
  } catch {
    return [];
  }
}
