/** What every layer uses: text, JSON, files, processes and time. */
export { type Decoded, decodeLine, isJsonObject, type JsonObject, type Overrides } from "./json.ts";
export { log, type LogFields, type Logger, type LogLevel } from "./logger.ts";
export * from "./dragoman-error.ts";
export * from "./process/command.ts";
export { DEFAULT_STAGES, type EndStages } from "./process/process-tree.ts";
export { redactLine, redactText, redactValue } from "./redact/redact.ts";
export { REDACTED } from "./redact/secrets.ts";
export * from "./answer-text.ts";
export * from "./async.ts";
export { toError, messageOf, hasCode } from "./errors.ts";
export * from "./base64.ts";
export * from "./json.ts";
export * from "./nearest.ts";
export { type OptionNames, optionsFault } from "./options.ts";
export * from "./process/command-line.ts";
export { OutputBuffer, wholeEnd } from "./process/output-buffer.ts";
export { isRunning, runningSince, startTimeOf } from "./process/process-list.ts";
export { ProcessTree } from "./process/process-tree.ts";
export { type RunningCommand, startCommand } from "./process/running-command.ts";
export {
  isExecutable,
  overlayEnv,
  runChild,
  type Shell,
  startProcess,
  toSpawnError,
} from "./process/spawn.ts";
export * from "./queue.ts";
export * from "./random-id.ts";
export { secretsInAddresses } from "./redact/addresses.ts";
export { createRedactor, FinishedText, type Redactor, valueHider } from "./redact/redact.ts";
export * from "./shown-text.ts";
export * from "./timing/immediate.ts";
export * from "./timing/time-limit.ts";
export * from "./user-files.ts";
export * from "./utf8.ts";
