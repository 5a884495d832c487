import { runInNewContext } from "node:vm";
import { TimeLimitError } from "../async.ts";

/**
 * Runs synchronous work, and stops it after `ms` milliseconds: a regular expression or a schema from someone
 * else may take forever. Work that is stopped may leave its objects half changed. Throws as the work does, or a {@link TimeLimitError}, whose message says that `what` took too long.
 */
export function withTimeLimit<T>(what: string, ms: number, work: () => T): T {
  const done: { readonly value: T }[] = [];
  const run = (): void => void done.push({ value: work() });
  try {
    runInNewContext("run()", { run }, { timeout: ms });
  } catch (error) {
    if (!isTimeout(error)) throw error;
  }
  const [outcome] = done;
  if (outcome) return outcome.value;
  throw new TimeLimitError(`${what} took longer than ${ms} ms`);
}

/** The error belongs to the other context, so it is not an instance of this Error. */
function isTimeout(error: unknown): boolean {
  if (typeof error !== "object" || error === null) return false;
  return "code" in error && error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT";
}
