/** What a hub keeps, in bytes of JSON. */
const MAX_BYTES = 16 * 1024;
const MAX_NESTING = 100;

/** The metadata of a call, as a part of what goes back to the agent. */
export function echoed({ metadata }: Record<string, unknown>): { metadata?: object } {
  const isObject = typeof metadata === "object" && metadata !== null && !Array.isArray(metadata);
  return isObject ? { metadata } : {};
}

/**
 * The metadata of a call, as a part of what a hub is asked.
 *
 * A hub refuses an ask with metadata it does not keep, and the question matters more.
 */
export function kept(input: Record<string, unknown>): { metadata?: object } {
  const beside = echoed(input);
  return beside.metadata !== undefined && isSmall(beside.metadata) ? beside : {};
}

function isSmall(metadata: object): boolean {
  // Before the text is made: making it goes as deep as the value does.
  if (nesting(metadata) > MAX_NESTING) {
    return false;
  }
  return Buffer.byteLength(JSON.stringify(metadata)) <= MAX_BYTES;
}

/** How deep a value is nested, counted no further than is allowed. */
function nesting(value: object): number {
  let depth = 0;
  let level: unknown[] = [value];
  while (depth <= MAX_NESTING) {
    const inner = level.filter((one) => typeof one === "object" && one !== null);
    if (inner.length === 0) {
      break;
    }
    depth += 1;
    level = inner.flatMap((one) => Object.values(one as object));
  }
  return depth;
}
