/**
 * Carries the questions of a Claude agent to a person, and the answer back.
 *
 * `new Handraise().canUseTool` is what the Claude Agent SDK wants for `canUseTool`.
 */
export { HandraiseError, HubUnreachable } from "./errors.js";
export { Handraise, type Options, type Waiting } from "./handraise.js";
export type { Said } from "./answers.js";
export type { Preset, Tools, Verdict } from "./rules.js";
