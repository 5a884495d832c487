import { runInNewContext } from "node:vm";

/** Long enough for any honest expression on text that a person typed. */
const PATTERN_MS = 100;

/** Whether a text matches an expression from the agent. One that would run forever does not match. */
export function matchesPattern(pattern: string, value: string): boolean {
  try {
    const sandbox = { pattern, value };
    const code = "new RegExp(pattern, 'u').test(value)";
    return runInNewContext(code, sandbox, { timeout: PATTERN_MS }) === true;
  } catch {
    return false;
  }
}
