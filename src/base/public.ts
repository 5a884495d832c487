/** What `dragoman/wire` publishes. */
export { type Decoded, decodeLine, isJsonObject, type JsonObject, type Overrides } from "./json.ts";
export { log, type LogFields, type Logger, type LogLevel } from "./logger.ts";
export * from "./dragoman-error.ts";
export * from "./process/command.ts";
export { DEFAULT_STAGES, type EndStages } from "./process/process-tree.ts";
export { redactLine, redactText, redactValue } from "./redact/redact.ts";
export { REDACTED } from "./redact/secrets.ts";
