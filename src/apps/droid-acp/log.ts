import { appendFileSync } from "node:fs";
import {
  type LogFields,
  type Logger,
  type LogLevel,
  openPrivate,
  redactLine,
  redactText,
} from "../../base/index.ts";
import type { Tap } from "../../transport/wire/index.ts";

/** Opens a log file, which only the user can read. Rejects if the file cannot be written. */
export async function openAdapterLog(path: string) {
  const file = await openPrivate(path, "append");
  const write = (text: string): void => {
    try {
      appendFileSync(file.fd, `${new Date().toISOString()} ${text}\n`);
    } catch {
      // The disk may be full. A session must not fail because of its log.
    }
  };
  const at =
    (level: LogLevel) =>
    (message: string, fields?: LogFields): void =>
      write(
        `${level} ${redactText(fields === undefined ? message : `${message} ${describe(fields)}`)}`,
      );
  return {
    logger: {
      debug: at("debug"),
      info: at("info"),
      warn: at("warn"),
      error: at("error"),
    } satisfies Logger,
    /** Returns a tap that logs every line of a connection, without secrets. */
    tap:
      (wire: string): Tap =>
      ({ direction, line }) =>
        write(`${wire} ${direction} ${redactLine(line)}`),
    /** Closes the file. Later entries are lost. Rejects if closing fails. */
    close: () => file.close(),
  };
}

/** Errors have no enumerable properties, so plain JSON would leave them empty. */
function describe(fields: LogFields): string {
  try {
    return JSON.stringify(fields, (_, value: unknown) =>
      value instanceof Error ? `${value.name}: ${value.message}` : value,
    );
  } catch {
    return "(could not serialize the fields)";
  }
}
