import {
  type LogFields,
  type Logger,
  type LogLevel,
  redactText,
  redactValue,
} from "../../wire/index.ts";

const LEVELS: readonly LogLevel[] = ["debug", "info", "warn", "error"];

/** The same logger, which gets to see no secrets. */
export function redactingLogger(logger: Logger): Logger {
  const clean: Logger = {};
  for (const level of LEVELS) {
    clean[level] = (message, fields) => {
      logger[level]?.(redactText(message), fields && redactFields(fields));
    };
  }
  return clean;
}

function redactFields(fields: LogFields): LogFields {
  const clean: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    clean[name] = typeof value === "string" ? redactText(value) : redactValue(value);
  }
  return clean;
}
