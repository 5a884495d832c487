/** What goes along with a log message. Secrets never do. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Where a host wants diagnostics to go; each level may be left out. */
export interface Logger {
  debug?(message: string, fields?: LogFields): void;
  info?(message: string, fields?: LogFields): void;
  warn?(message: string, fields?: LogFields): void;
  error?(message: string, fields?: LogFields): void;
}

export type LogLevel = keyof Logger;

/** Logs, and never fails: a logger of the user's that throws must not break a connection. */
export function log(
  logger: Logger | undefined,
  level: LogLevel,
  message: string,
  fields?: LogFields,
): void {
  if (!logger) return;
  callSafely(() => logger[level]?.(message, fields));
}

/** Runs code of the user's whose failure, now or later, is nobody else's. */
export function callSafely(work: () => unknown): void {
  try {
    const result = work();
    if (isThenable(result)) result.then(undefined, () => {});
  } catch {
    // Nothing to do: the one who could be told is the one who failed.
  }
}

/** Tells a promise, also one of another realm or library. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === "object" &&
    value !== null &&
    "then" in value &&
    typeof value.then === "function"
  );
}
