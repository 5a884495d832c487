import { appendFileSync } from "node:fs";
import {
  type LogFields,
  type Logger,
  type LogLevel,
  redactLine,
  redactText,
  type Tap,
} from "../wire/index.ts";

export interface LogFile {
  readonly logger: Logger;
  /** A tap that writes every line of a wire down, without secrets. */
  tap(wire: string): Tap;
}

/** Opens a log. Throws at once if the file cannot be written. */
export function openLog(path: string): LogFile {
  appendFileSync(path, "");
  const write = (text: string): void => {
    try {
      appendFileSync(path, `${new Date().toISOString()} ${text}\n`);
    } catch {
      // The disk may fill up while editors go on; the log is not worth a session.
    }
  };
  const at =
    (level: LogLevel) =>
    (message: string, fields?: LogFields): void =>
      write(`${level} ${message}${fields === undefined ? "" : ` ${redactText(describe(fields))}`}`);
  return {
    logger: { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") },
    tap: (wire) => {
      return ({ direction, line }) => write(`${wire} ${direction} ${redactLine(line)}`);
    },
  };
}

/** Errors are objects without properties of their own: JSON alone would show nothing of them. */
function describe(fields: LogFields): string {
  try {
    return JSON.stringify(fields, (_, value: unknown) =>
      value instanceof Error ? `${value.name}: ${value.message}` : value,
    );
  } catch {
    return "(fields that cannot be written)";
  }
}
