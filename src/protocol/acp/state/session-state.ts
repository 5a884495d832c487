import { type Meta, metaOf } from "../meta.ts";
import { KeptMap, weightOf } from "./kept-map.ts";
import { patched } from "./patched.ts";
import {
  cancelUnfinished,
  mergeToolCall,
  TOOL_CALL_RULES,
  type ToolCallState,
} from "./tool-calls.ts";
import type {
  AvailableCommand,
  ContentBlock,
  Cost,
  SessionConfigOption,
  SessionMode,
  SessionModeState,
} from "../types.ts";
import type { CompactionChange, CompactionChunk, Update } from "../updates.ts";
import { applyUnstableUpdate, createUnstableState, type UnstableState } from "../unstable/state.ts";
import { applyV2Update, createV2State, type V2State } from "../v2/state.ts";

/** How full the context window of a session is, and what the session has cost so far. */
export interface Usage {
  /** Tokens in the context now. */
  readonly used: number;
  /** Tokens the context can hold. */
  readonly size: number;
  /** The cost of the session so far, if the agent reports it. */
  readonly cost?: Cost | undefined;
}

/** A compaction of the context, as far as it is known. */
export interface CompactionState {
  readonly compactionId: string;
  /** How far it is: a status of the protocol, or the agent's own word. */
  readonly status: string;
  /** The summary so far. */
  readonly summary: readonly ContentBlock[];
  /** Why it failed, if it did. */
  readonly error: string | undefined;
}

/** The message that chunks are being appended to. A new object means a new message. */
export interface MessagePosition {
  readonly kind: "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk";
  readonly messageId: string | undefined;
}

/**
 * The combined result of a session's updates. It belongs to its creator, and {@link applyUpdate} changes
 * it in place: copying the map of tool calls for every update would make long sessions quadratic.
 * It keeps the newest tool calls and compactions, so that it does not grow with the session.
 * The values inside are replaced and never modified, so a shallow copy is a snapshot.
 */
export interface SessionState extends UnstableState, V2State {
  readonly toolCalls: Map<string, ToolCallState>;
  readonly compactions: Map<string, CompactionState>;
  commands: readonly AvailableCommand[];
  modes: readonly SessionMode[];
  /** The `_meta` of the modes. */
  modesMeta: Meta | undefined;
  /** The `_meta` of the answer that opened the session. */
  meta: Meta | undefined;
  currentModeId: string | undefined;
  configOptions: readonly SessionConfigOption[] | undefined;
  title: string | undefined;
  updatedAt: string | undefined;
  usage: Usage | undefined;
  message: MessagePosition | undefined;
}

/** The parts of a session setup result that become state. */
export interface SessionSetup {
  readonly modes?: SessionModeState | undefined;
  readonly configOptions?: readonly SessionConfigOption[] | undefined;
  readonly meta?: Meta | undefined;
}

/** The newest compactions are kept, and the first blocks of each summary. */
const KEPT_COMPACTIONS = { count: 10, chars: 1024 * 1024 };
const KEPT_SUMMARY_BLOCKS = 1000;

/** Creates an empty state. */
export function createSessionState(): SessionState {
  return {
    toolCalls: new KeptMap(TOOL_CALL_RULES),
    compactions: new KeptMap<CompactionState>({ ...KEPT_COMPACTIONS, weigh: weightOf }),
    ...createUnstableState(),
    ...createV2State(),
    plan: [],
    commands: [],
    modes: [],
    modesMeta: undefined,
    meta: undefined,
    currentModeId: undefined,
    configOptions: undefined,
    title: undefined,
    updatedAt: undefined,
    usage: undefined,
    message: undefined,
  };
}

/**
 * Applies the result of `session/new`, `load`, `resume` or `fork` to the state. Call it when the result
 * is read, in order with the updates. Fields that are absent in the result keep their values.
 */
export function applySetup(state: SessionState, setup: SessionSetup): void {
  if (setup.modes !== undefined) {
    state.modes = setup.modes.availableModes;
    state.currentModeId = setup.modes.currentModeId;
    state.modesMeta = metaOf(setup.modes);
  }
  if (setup.configOptions !== undefined) state.configOptions = setup.configOptions;
  if (setup.meta !== undefined) state.meta = setup.meta;
}

/** Applies one update to the state in place. Notices, diffs and unknown updates do not change it. */
export function applyUpdate(state: SessionState, update: Update): void {
  state.message = nextMessage(state.message, update);
  switch (update.type) {
    // First, because there is one per streamed token.
    case "agent_message_chunk":
    case "agent_thought_chunk":
    case "user_message_chunk":
      return;
    case "tool_call":
    case "tool_call_update": {
      const known = state.toolCalls.get(update.toolCallId);
      state.toolCalls.set(update.toolCallId, mergeToolCall(known, update));
      return;
    }
    case "plan":
      state.plan = update.entries;
      return;
    case "available_commands_update":
      state.commands = update.commands;
      return;
    case "current_mode_update":
      state.currentModeId = update.currentModeId;
      return;
    case "config_option_update":
      state.configOptions = update.configOptions;
      return;
    case "session_info_update":
      state.title = patched(state.title, update.title);
      state.updatedAt = patched(state.updatedAt, update.updatedAt);
      return;
    case "usage_update":
      state.usage = { used: update.used, size: update.size, cost: update.cost };
      return;
    case "compaction_update":
    case "compaction_summary_chunk": {
      const known = state.compactions.get(update.compactionId);
      state.compactions.set(update.compactionId, mergeCompaction(known, update));
      return;
    }
    case "plan_update":
    case "plan_removed":
    case "subagent_update":
    case "session_message":
    case "session_message_chunk":
      return applyUnstableUpdate(state, update);
    case "state_update":
    case "terminal_update":
    case "terminal_output_chunk":
    case "user_message":
    case "agent_message":
    case "agent_thought":
      return applyV2Update(state, update);
    case "notice":
    case "diff":
    case "unknown":
      return;
    default:
      update satisfies never;
  }
}

/** Marks unfinished tool calls as cancelled. Call it when the client cancels the turn. */
export function applyCancel(state: SessionState): readonly ToolCallState[] {
  return cancelUnfinished(state.toolCalls);
}

/**
 * The message that the stream is in after an update. Pure. Returns `current` itself while chunks belong
 * to the same message. A changed id starts a new message. Without ids, a different kind of chunk or an
 * intervening tool call starts one.
 */
export function nextMessage(
  current: MessagePosition | undefined,
  update: Update,
): MessagePosition | undefined {
  switch (update.type) {
    case "user_message_chunk":
    case "agent_message_chunk":
    case "agent_thought_chunk":
      if (current?.kind === update.type && current.messageId === update.messageId) return current;
      return { kind: update.type, messageId: update.messageId };
    case "tool_call":
    case "tool_call_update":
      return current?.messageId === undefined ? undefined : current;
    case "plan":
    case "available_commands_update":
    case "current_mode_update":
    case "config_option_update":
    case "session_info_update":
    case "usage_update":
    case "notice":
    case "compaction_update":
    case "compaction_summary_chunk":
    case "plan_update":
    case "plan_removed":
    case "subagent_update":
    case "session_message":
    case "session_message_chunk":
    case "state_update":
    case "terminal_update":
    case "terminal_output_chunk":
    case "user_message":
    case "agent_message":
    case "agent_thought":
    case "diff":
    case "unknown":
      return current;
    default:
      update satisfies never;
      return current;
  }
}

/**
 * Merges an update of a compaction or a chunk of its summary into the known state. Pure. Either may
 * come first. In an update, null clears a field and an omitted field stays. A chunk is appended.
 */
export function mergeCompaction(
  current: CompactionState | undefined,
  update: CompactionChange | CompactionChunk,
): CompactionState {
  const summary = current?.summary ?? [];
  if (update.type === "compaction_summary_chunk") {
    if (current && summary.length >= KEPT_SUMMARY_BLOCKS) return current;
    return {
      compactionId: update.compactionId,
      status: current?.status ?? "in_progress",
      summary: [...summary, update.content],
      error: current?.error,
    };
  }
  return {
    compactionId: update.compactionId,
    status: update.status,
    summary: patched(summary, update.summary) ?? [],
    error: patched(current?.error, update.error),
  };
}
