import { callSafely } from "./async.ts";

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
