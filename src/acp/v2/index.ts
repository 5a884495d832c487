/** The parts of the model that only agents of v2 fill. Everything here may change with the draft. */
export { type AgentTerminalState, applyV2Update, createV2State } from "./state.ts";
export type {
  BackgroundWork,
  DiffChange,
  SessionActivity,
  TerminalEnd,
  TerminalSize,
  V2ContentFields,
  WorkFailure,
} from "./types.ts";
export type {
  AgentTerminalChange,
  AgentTerminalChunk,
  MessageChange,
  StateChange,
  V2Update,
} from "./updates.ts";
