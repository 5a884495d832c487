/** What `dragoman/wire` publishes. */
export type { Overrides } from "./fields.ts";
export { type Decoded, decodeLine, isJsonObject, type JsonObject } from "./json.ts";
export { log, type LogFields, type Logger, type LogLevel } from "./logger.ts";
export * from "./process/exit-status.ts";
export * from "./process/spawn-error.ts";
export { DEFAULT_STAGES, type EndStages } from "./process/tree-watcher.ts";
export { redactLine, redactText, redactValue } from "./redact/redact.ts";
export { REDACTED } from "./redact/secrets.ts";
