import {
  type LogFields,
  type Logger,
  type LogLevel,
  redactText,
  redactValue,
} from "../../base/index.ts";

/** Wraps a logger so that secrets are redacted before they reach it. */
export function redactingLogger(logger: Logger): Logger {
  const at =
    (level: LogLevel) =>
    (message: string, fields?: LogFields): void =>
      logger[level]?.(redactText(message), fields && redactFields(fields));
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

function redactFields(fields: LogFields): LogFields {
  const redacted: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    redacted[name] = typeof value === "string" ? redactText(value) : redactValue(value);
  }
  return redacted;
}
