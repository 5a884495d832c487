/** Sessions of ACP as they happened: reading, understanding, searching, comparing, exporting. Pure. */
export {
  type ImportLoss,
  type SessionEntry,
  type SessionFormat,
  SessionFormatError,
  type SessionHeader,
  type SessionImport,
  type SessionLine,
} from "./formats/imported.ts";
export { importSession, type SessionHandlers, SessionReader } from "./formats/reader.ts";
export {
  firstWords,
  itemContent,
  itemRows,
  itemText,
  type TerminalDetails,
  terminalDetails,
  toolCallState,
} from "./model/details.ts";
export type { FrameTable } from "./model/frame-table.ts";
export { type Interval } from "./model/intervals.ts";
export { FRAME_KINDS, type FrameKind, readMessage, type ReadMessage } from "./model/message.ts";
export { IDLE_MS, SessionModel, type TracedDecision } from "./model/model.ts";
export type {
  IdleGap,
  ItemKind,
  PermissionFlag,
  ReadFrame,
  ToolCallOddity,
  TracedEvent,
  TracedItem,
  TracedLane,
  TracedOption,
  TracedPermission,
  TracedSession,
  TracedTerminal,
  TracedToolCall,
  TracedTurn,
  TracedUsage,
  TurnTokens,
} from "./model/traced.ts";
export { turnSpans, type TurnSpans, turnTime, type TurnTime } from "./model/turn-time.ts";
