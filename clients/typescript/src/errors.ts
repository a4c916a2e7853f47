/** The hub refused something, or would have: `code` is stable, the message is for people. */
export class HandraiseError extends Error {
  override readonly name: string = "HandraiseError";

  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** No hub answers. Whoever can wait may try again. */
export class HubUnreachable extends HandraiseError {
  override readonly name = "HubUnreachable";

  constructor(why: string) {
    super("unreachable", why);
  }
}
