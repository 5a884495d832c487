import { callSafely } from "./async.ts";

/** Structured data for a log message. It never contains secrets. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Receives diagnostics. Every level is optional. */
export interface Logger {
  readonly debug?: ((message: string, fields?: LogFields) => void) | undefined;
  readonly info?: ((message: string, fields?: LogFields) => void) | undefined;
  readonly warn?: ((message: string, fields?: LogFields) => void) | undefined;
  readonly error?: ((message: string, fields?: LogFields) => void) | undefined;
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
