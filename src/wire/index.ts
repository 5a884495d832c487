/** `dragoman/wire`: bytes to frames and back, without knowing what the frames mean. */
export {
  ChannelClosedError,
  describeClose,
  describeExit,
  type Channel,
  type CloseReason,
  type ExitStatus,
} from "./channel.ts";
export { decodeLine, isJsonObject, type Decoded, type JsonObject } from "./lines/frames.ts";
export { DEFAULT_MAX_LINE_BYTES, LineSplitter, LineTooLongError } from "./lines/splitter.ts";
export { log, type LogFields, type Logger, type LogLevel } from "./logger.ts";
export { memoryPair } from "./channels/memory.ts";
export { openProcess, type ProcessChannel, type ProcessOptions } from "./process/channel.ts";
export { DEFAULT_STAGES, type EndStages } from "./process/end.ts";
export {
  SpawnError,
  type CommandLine,
  type EnvOverlay,
  type SpawnFailure,
} from "./process/spawn.ts";
export {
  parseRecording,
  recorder,
  RECORDING_VERSION,
  RecordingError,
  type RecordedLine,
  type RecorderOptions,
  type Recording,
  type RecordingHeader,
} from "./recording/recorder.ts";
export { REDACTED, redactLine, redactText, redactValue } from "./recording/redact.ts";
export { stdioChannel } from "./channels/stdio.ts";
export type { StreamChannelOptions } from "./channels/stream.ts";
export { tapped, type Direction, type Tap, type TapEvent } from "./recording/tap.ts";
export { channelFromStream, streamFromChannel, type MessageStream } from "./channels/web-stream.ts";
export { StreamChannel } from "./channels/stream.ts";
export { quiet } from "./channel.ts";
export { overlayEnv, startProcess } from "./process/spawn.ts";
export { callSafely, isThenable } from "./logger.ts";
export { believed, endTree, type ProcessSnapshot } from "./process/end.ts";
export { type Lifeline, openLifeline } from "./process/lifeline.ts";
export {
  carrying,
  inGroup,
  listProcesses,
  newTreeMark,
  startOf,
  type Tree,
} from "./process/tree.ts";
export { within } from "./async.ts";
export { parseFrame } from "./lines/frames.ts";
