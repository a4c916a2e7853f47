/** What this browser keeps for us; it may be full, or closed altogether. */

export function read(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

/** Whether there was room. */
export function write(name: string, value: string): boolean {
  try {
    localStorage.setItem(name, value);
    return true;
  } catch {
    return false;
  }
}

export function remove(name: string): void {
  try {
    localStorage.removeItem(name);
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
