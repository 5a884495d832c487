import {
  type LogFields,
  type Logger,
  type LogLevel,
  redactText,
  redactValue,
} from "../../wire/index.ts";

const LEVELS: readonly LogLevel[] = ["debug", "info", "warn", "error"];

/** Wraps a logger so that secrets are redacted before they reach it. */
export function redactingLogger(logger: Logger): Logger {
  const redacting: Logger = {};
  for (const level of LEVELS) {
    redacting[level] = (message, fields) => {
      logger[level]?.(redactText(message), fields && redactFields(fields));
    };
  }
  return redacting;
}

function redactFields(fields: LogFields): LogFields {
  const redacted: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    redacted[name] = typeof value === "string" ? redactText(value) : redactValue(value);
  }
  return redacted;
}
