import { callSafely } from "./async.ts";

/** Structured data for a log message. It never contains secrets. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Receives diagnostics. Every level is optional. */
export interface Logger {
  /** Receives details that help to find a fault. */
  readonly debug?: ((message: string, fields?: LogFields) => void) | undefined;
  /** Receives events that are worth knowing. */
  readonly info?: ((message: string, fields?: LogFields) => void) | undefined;
  /** Receives problems that the library handled by itself. */
  readonly warn?: ((message: string, fields?: LogFields) => void) | undefined;
  /** Receives failures. */
  readonly error?: ((message: string, fields?: LogFields) => void) | undefined;
}

/** The level of a log message. */
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
