/** What every layer uses: text, JSON, files, processes and time. */
export * from "./public.ts";
export * from "./async.ts";
export * from "./base64.ts";
export * from "./errors.ts";
export {
  stringField,
  numberField,
  booleanField,
  objectField,
  objectsField,
  stringsField,
  asObject,
  merged,
  isList,
  isStringList,
  definedFields,
} from "./fields.ts";
export { isDeeperThan, MAX_FRAME_DEPTH, parseFrame } from "./json.ts";
export * from "./process/command-line.ts";
export { isRunning } from "./process/is-running.ts";
export { startTimeOf, runningSince } from "./process/process-list.ts";
export * from "./process/process-tree.ts";
export * from "./process/run-child.ts";
export { type RunningCommand, startCommand } from "./process/running-command.ts";
export type { Shell } from "./process/shell.ts";
export { isExecutable, overlayEnv, startProcess, toSpawnError } from "./process/spawn.ts";
export * from "./queue.ts";
export * from "./random-id.ts";
export { secretsInAddresses } from "./redact/addresses.ts";
export { createRedactor, FinishedText, type Redactor } from "./redact/redact.ts";
export { valueHider } from "./redact/secrets.ts";
export * from "./shown-text.ts";
export * from "./timing/immediate.ts";
export * from "./timing/time-limit.ts";
export * from "./timing/timers.ts";
export * from "./user-files.ts";
