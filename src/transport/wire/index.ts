/** Bytes to frames and back, without knowing what the frames mean. */
export * from "./public.ts";
export { isUnauthorized, Acceptor } from "./channels/listener.ts";
export { QueuedChannel, toLine } from "./channels/queued-channel.ts";
export { type ReservedStdio, reserveStdio } from "./channels/stdio.ts";
export * from "./http/guard.ts";
export * from "./http/token.ts";
export { isRecordingHeader, toRecordingEntry, toRecordingHeader } from "./recording/format.ts";
export { lastLines, type LifecycleState } from "./channel.ts";
