/** Bytes to frames and back, without knowing what the frames mean. */
export * from "./public.ts";
export * from "./async.ts";
export * from "./base64.ts";
export * from "./errors.ts";
export { isUnauthorized, Acceptor } from "./channels/listener.ts";
export { LineQueue, toLine } from "./channels/line-queue.ts";
export * from "./timing/immediate.ts";
export { type ReservedStdio, reserveStdio } from "./channels/stdio.ts";
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
export { isDeeperThan, MAX_FRAME_DEPTH, parseFrame } from "./lines/frames.ts";
export * from "./shown-text.ts";
export * from "./http/guard.ts";
export * from "./http/token.ts";
export * from "./user-files.ts";
export { isExecutable, overlayEnv, startProcess } from "./process/spawn.ts";
export { isRunning } from "./process/is-running.ts";
export * from "./process/process-tree.ts";
export * from "./command/command-line.ts";
export * from "./command/run-child.ts";
export type { Shell } from "./command/shell.ts";
export { startTimeOf, runningSince } from "./process/process-list.ts";
export { type RunningCommand, startCommand } from "./command/running-command.ts";
export * from "./random-id.ts";
export * from "./timing/timers.ts";
export * from "./timing/time-limit.ts";
export * from "./queue.ts";
export { FinishedText, createRedactor } from "./recording/redact.ts";
export { isRecordingHeader, toRecordingEntry, toRecordingHeader } from "./recording/format.ts";
export { valueHider } from "./recording/secrets.ts";
export { secretsInAddresses } from "./recording/addresses.ts";
export type { LifecycleState } from "./channel.ts";
