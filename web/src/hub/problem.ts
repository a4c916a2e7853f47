import type { Problem, ViolationJson } from "../generated/v1";

/** The hub said no, and why. */
export class Refused extends Error {
  constructor(readonly problem: Problem) {
    super(problem.title);
  }

  get code(): string {
    return this.problem.code;
  }
}

/** The hub said nothing: nobody knows whether it heard. */
export class Unreachable extends Error {}

/** Why something failed, in lines a person can act on. */
export function why(error: unknown, otherwise = "The hub cannot be reached."): string[] {
  return error instanceof Refused ? lines(error.problem) : [otherwise];
}

/** A refusal in one or more lines a person can act on. */
export function lines(problem: Problem): string[] {
  const wrong = (one: ViolationJson) => `${one.path}: ${one.found}; allowed: ${one.allowed}`;
  const rest = problem.detail ? [problem.detail] : [];
  return problem.violations?.length ? problem.violations.map(wrong) : [problem.title, ...rest];
}
