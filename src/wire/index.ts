/** Bytes to frames and back, without knowing what the frames mean. */
export * from "./public.ts";
export * from "./async.ts";
export * from "./base64.ts";
export { isUnauthorized } from "./channels/address-errors.ts";
export { LineQueue, toLine } from "./channels/line-queue.ts";
export { Acceptor } from "./channels/listener.ts";
export * from "./timing/immediate.ts";
export { type ReservedStdio, reserveStdio } from "./channels/stdio.ts";
export * from "./fields.ts";
export { isDeeperThan, MAX_FRAME_DEPTH, parseFrame } from "./lines/frames.ts";
export * from "./html-text.ts";
export {
  guardRequest,
  type HttpRefusal,
  isAllowedHost,
  isAllowedOrigin,
  isLoopback,
  LOOPBACK_NAMES,
  namesWithPort,
  NOT_FOUND,
  placeRefusal,
  TOKEN_IN_ADDRESS,
} from "./http/guard.ts";
export {
  bearerOf,
  hasTokenInAddress,
  headerOf,
  type RequestHeaders,
  targetOf,
} from "./http/request.ts";
export * from "./http/token.ts";
export * from "./lists.ts";
export * from "./private-files.ts";
export * from "./process/executable.ts";
export * from "./process/process-tree.ts";
export * from "./command/command-line.ts";
export { startTimeOf } from "./process/start-time.ts";
export { runningSince } from "./process/process-list.ts";
export * from "./command/run-child.ts";
export { type RunningCommand, startCommand } from "./command/running-command.ts";
export type { Shell } from "./command/shell.ts";
export { overlayEnv, startProcess } from "./process/spawn.ts";
export * from "./terminal-text.ts";
export * from "./user-folders.ts";
export * from "./random-id.ts";
export * from "./timing/restartable-timer.ts";
export * from "./timing/time-limit-error.ts";
export * from "./timing/time-limit.ts";
export { definedFields } from "./overrides.ts";
export * from "./queue.ts";
export { FinishedText } from "./recording/finished-text.ts";
export { isRecordingHeader, toRecordingEntry, toRecordingHeader } from "./recording/format.ts";
export * from "./recording/known-values.ts";
export { secretsInAddresses } from "./recording/addresses.ts";
export { createRedactor } from "./recording/redact.ts";
export type { LifecycleState } from "./channel.ts";
