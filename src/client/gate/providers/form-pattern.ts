import { withTimeLimit } from "../../../base/index.ts";

/** Long enough for any honest expression on text that a person typed. */
const PATTERN_MS = 100;

/** Whether a text matches an expression from the agent. One that would run forever does not match. */
export function matchesFormPattern(pattern: string, value: string): boolean {
  try {
    const matches = (): boolean => new RegExp(pattern, "u").test(value);
    return withTimeLimit("the expression", PATTERN_MS, matches);
  } catch {
    return false;
  }
}
