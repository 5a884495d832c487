/** A session as it happened: messages, the formats it is recorded in, and the model its frames add up to. Pure. */
export {
  type ImportLoss,
  lossOf,
  type SessionEntry,
  type SessionFormat,
  SessionFormatError,
  type SessionHeader,
  type SessionImport,
} from "./formats/format.ts";
export { importSession, SessionReader } from "./formats/reader.ts";
export {
  wireIdKey,
  type WireMessage,
  paramsOf,
  readWireLine,
  type WireLine,
  readWireMessage,
  resultOf,
  updateOf,
} from "./message.ts";
export {
  firstWords,
  itemContent,
  itemRows,
  itemText,
  sessionDetails,
  terminalDetails,
  toolCallState,
} from "./model/details.ts";
export type { FrameTable, LineStore } from "./model/frame-table.ts";
export { SessionModel, type TracedDecision } from "./model/model.ts";
export type {
  IdleGap,
  PermissionFlag,
  ToolCallOddity,
  TracedFrame,
  TracedItem,
  TracedPermission,
  TracedSession,
  TracedToolCall,
  TracedTurn,
  TracedUsage,
} from "./model/traced.ts";
export { turnSpans, turnTime, type TurnTime } from "./model/turn-time.ts";
