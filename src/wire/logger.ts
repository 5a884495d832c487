import { callSafely } from "./async.ts";

/** Structured data for a log message. It never contains secrets. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Receives diagnostics. Every level is optional. */
export interface Logger {
  debug?(message: string, fields?: LogFields): void;
  info?(message: string, fields?: LogFields): void;
  warn?(message: string, fields?: LogFields): void;
  error?(message: string, fields?: LogFields): void;
}

export type LogLevel = keyof Logger;

/** Logs a message. Never throws: a failing logger must not break a connection. */
export function log(
  logger: Logger | undefined,
  level: LogLevel,
  message: string,
  fields?: LogFields,
): void {
  if (!logger) return;
  callSafely(() => logger[level]?.(message, fields));
}
