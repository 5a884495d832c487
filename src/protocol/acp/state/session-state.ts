import { wholeEnd } from "../../../base/index.ts";
import { type Meta, metaOf } from "../meta.ts";
import { BoundedMap, weightOf } from "./bounded-map.ts";
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
  PlanEntry,
} from "../types.ts";
import type {
  CompactionChange,
  CompactionChunk,
  AnyUpdate,
  SessionMessageChange,
  SessionMessageChunkChange,
  SubagentChange,
  BackgroundWork,
  SessionActivity,
  TerminalEnd,
  TerminalSize,
  AgentTerminalChange,
  AgentTerminalChunk,
} from "../updates.ts";
import type { PlanContent, SubagentActivity } from "../types/unstable.ts";

/** How full the context of a session is. */
export interface ContextUsage {
  /** Tokens in the context now. */
  readonly used: number;
  /** Tokens the context can hold. */
  readonly size: number;
}

/** A compaction of the context, as far as it is known. */
interface CompactionState {
  readonly compactionId: string;
  /** How far it is: a status of the protocol, or the agent's own word. */
  readonly status: string;
  /** The summary so far. */
  readonly summary: readonly ContentBlock[];
  /** Why it failed, if it did. */
  readonly error: string | undefined;
}

/** Everything known about a subagent of a session. Immutable: an update creates a new object. */
export interface SubagentState {
  readonly sessionId: string;
  readonly title: string | undefined;
  readonly description: string | undefined;
  /** Whether the client may cancel its work. */
  readonly canCancel: boolean;
  /** Its current work; undefined if the agent does not say. */
  readonly activity: SubagentActivity | undefined;
  /** The working folder that the agent reported; undefined means that of the parent. */
  readonly cwd: string | undefined;
  /** The additional folders that the agent reported; undefined means those of the parent. */
  readonly additionalDirectories: readonly string[] | undefined;
}

/** A message between two sessions. Immutable: an update creates a new object. */
export interface SessionMessageState {
  readonly messageId: string;
  readonly senderSessionId: string | undefined;
  readonly recipientSessionId: string | undefined;
  readonly senderMessageId: string | undefined;
  readonly recipientMessageId: string | undefined;
  readonly content: readonly ContentBlock[];
}

/** Everything known about a terminal on the agent's side. Immutable: an update creates a new object. */
export interface AgentTerminalState {
  readonly terminalId: string;
  readonly command: string | undefined;
  readonly cwd: string | undefined;
  /** The end of the output, as text. It may contain control sequences: clean it before showing it. */
  readonly output: string;
  /** Whether the beginning of the output was dropped. */
  readonly truncated: boolean;
  /** How the command ended; undefined while it runs. */
  readonly exit: TerminalEnd | undefined;
  /** The size of the terminal. */
  readonly size: TerminalSize | undefined;
  /** Whether the client may cancel the command. */
  readonly canCancel: boolean;
}

/** A terminal with the bytes of a character whose end has not arrived yet. */
interface KeptTerminal extends AgentTerminalState {
  readonly rest: Uint8Array;
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
export interface SessionState {
  readonly toolCalls: Map<string, ToolCallState>;
  readonly compactions: Map<string, CompactionState>;
  readonly plans: Map<string, PlanContent>;
  readonly subagents: Map<string, SubagentState>;
  readonly sessionMessages: Map<string, SessionMessageState>;
  /** Follows the plan of entries that changed last. */
  plan: readonly PlanEntry[];
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
  contextUsage: ContextUsage | undefined;
  /** The cost of the session so far, if the agent reports it. */
  cost: Cost | undefined;
  message: MessagePosition | undefined;
  /** Terminals on the agent's side. Only agents of v2 report them, and the two fields below. */
  readonly terminals: Map<string, KeptTerminal>;
  activity: SessionActivity | undefined;
  background: readonly BackgroundWork[] | undefined;
}

/** The parts of a session setup result that become state. */
export interface SessionSetup {
  readonly modes?: SessionModeState | undefined;
  readonly configOptions?: readonly SessionConfigOption[] | undefined;
  readonly meta?: Meta | undefined;
}

/** How many blocks of a summary or message are kept: the first. */
const KEPT_BLOCKS = 1000;
/** How much of the output of a terminal is kept: the end. */
const KEPT_OUTPUT = 256 * 1024;
const KEPT_CHARS = 1024 * 1024;

export function createSessionState(): SessionState {
  return {
    toolCalls: new BoundedMap(TOOL_CALL_RULES),
    compactions: new BoundedMap<CompactionState>({ count: 10, chars: KEPT_CHARS, weigh: weightOf }),
    plans: new BoundedMap<PlanContent>({ count: 100, chars: KEPT_CHARS, weigh: weightOf }),
    // Those that work or wait are dropped last.
    subagents: new BoundedMap<SubagentState>({
      count: 200,
      chars: KEPT_CHARS,
      weigh: weightOf,
      isOver: ({ activity }) => activity?.state === "idle",
    }),
    sessionMessages: new BoundedMap<SessionMessageState>({
      count: 200,
      chars: KEPT_CHARS,
      weigh: weightOf,
    }),
    // Those that still run are dropped last.
    terminals: new BoundedMap<KeptTerminal>({
      count: 100,
      chars: 16 * 1024 * 1024,
      weigh: ({ output, command = "" }) => output.length + command.length,
      isOver: ({ exit }) => exit !== undefined,
    }),
    activity: undefined,
    background: undefined,
    plan: [],
    commands: [],
    modes: [],
    modesMeta: undefined,
    meta: undefined,
    currentModeId: undefined,
    configOptions: undefined,
    title: undefined,
    updatedAt: undefined,
    contextUsage: undefined,
    cost: undefined,
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
export function applyUpdate(state: SessionState, update: AnyUpdate): void {
  state.message = nextMessagePosition(state.message, update);
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
      state.contextUsage = { used: update.used, size: update.size };
      state.cost = update.cost;
      return;
    case "compaction_update":
    case "compaction_summary_chunk": {
      const known = state.compactions.get(update.compactionId);
      state.compactions.set(update.compactionId, mergeCompaction(known, update));
      return;
    }
    case "plan_update":
      state.plans.set(update.plan.planId, update.plan);
      if (update.plan.type === "items") state.plan = update.plan.entries;
      return;
    case "plan_removed": {
      const removed = state.plans.get(update.planId);
      if (removed?.type === "items" && removed.entries === state.plan) state.plan = [];
      state.plans.delete(update.planId);
      return;
    }
    case "subagent_update": {
      const known = state.subagents.get(update.sessionId);
      state.subagents.set(update.sessionId, mergeSubagent(known, update));
      return;
    }
    case "session_message":
    case "session_message_chunk": {
      const known = state.sessionMessages.get(update.messageId);
      state.sessionMessages.set(update.messageId, mergeSessionMessage(known, update));
      return;
    }
    case "state_update":
      state.activity = update.activity;
      state.background = update.background ?? state.background;
      return;
    case "terminal_update":
    case "terminal_output_chunk": {
      const known = state.terminals.get(update.terminalId);
      state.terminals.set(update.terminalId, mergeTerminal(known, update));
      return;
    }
    case "user_message":
    case "agent_message":
    case "agent_thought":
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
export function nextMessagePosition(
  current: MessagePosition | undefined,
  update: AnyUpdate,
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
    default:
      return current;
  }
}

/**
 * Merges an update of a compaction or a chunk of its summary into the known state. Pure. Either may
 * come first. In an update, null clears a field and an omitted field stays. A chunk is appended.
 */
function mergeCompaction(
  current: CompactionState | undefined,
  update: CompactionChange | CompactionChunk,
): CompactionState {
  const summary = current?.summary ?? [];
  if (update.type === "compaction_summary_chunk") {
    if (current && summary.length >= KEPT_BLOCKS) return current;
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

/** Merges an update of a subagent into its known state. Pure. */
function mergeSubagent(current: SubagentState | undefined, update: SubagentChange): SubagentState {
  return {
    sessionId: update.sessionId,
    title: patched(current?.title, update.title),
    description: patched(current?.description, update.description),
    canCancel: update.canCancel ?? current?.canCancel ?? false,
    activity: patched(current?.activity, update.activity),
    cwd: patched(current?.cwd, update.cwd),
    additionalDirectories: patched(current?.additionalDirectories, update.additionalDirectories),
  };
}

/** Merges an update or a chunk of a message into its known state. Pure. Either may come first. */
function mergeSessionMessage(
  current: SessionMessageState | undefined,
  update: SessionMessageChange | SessionMessageChunkChange,
): SessionMessageState {
  const content = current?.content ?? [];
  const isChunk = update.type === "session_message_chunk";
  if (isChunk && current && content.length >= KEPT_BLOCKS) return current;
  const changed = isChunk ? undefined : update;
  return {
    messageId: update.messageId,
    senderSessionId: patched(current?.senderSessionId, changed?.senderSessionId),
    recipientSessionId: patched(current?.recipientSessionId, changed?.recipientSessionId),
    senderMessageId: patched(current?.senderMessageId, changed?.senderMessageId),
    recipientMessageId: patched(current?.recipientMessageId, changed?.recipientMessageId),
    content: isChunk ? [...content, update.content] : (patched(content, update.content) ?? []),
  };
}

/** Merges an update or more output into what is known of a terminal. Pure. Either may come first. */
function mergeTerminal(
  current: KeptTerminal | undefined,
  update: AgentTerminalChange | AgentTerminalChunk,
): KeptTerminal {
  const known = current ?? emptyTerminal(update.terminalId);
  if (update.type === "terminal_output_chunk") return withOutput(known, update.bytes);
  const exit = patched(known.exit, update.exit);
  const changed = {
    ...known,
    command: patched(known.command, update.command),
    cwd: patched(known.cwd, update.cwd),
    exit,
    size: patched(known.size, update.size),
    canCancel: exit === undefined && (update.canCancel ?? known.canCancel),
  };
  if (update.output === undefined) return changed;
  const cleared = { ...changed, output: "", truncated: false, rest: NO_BYTES };
  return update.output === null ? cleared : withOutput(cleared, update.output);
}

function withOutput(terminal: KeptTerminal, bytes: Uint8Array): KeptTerminal {
  const all = new Uint8Array(terminal.rest.length + bytes.length);
  all.set(terminal.rest);
  all.set(bytes, terminal.rest.length);
  const end = wholeEnd(all);
  const output = terminal.output + new TextDecoder().decode(all.subarray(0, end));
  const rest = all.slice(end);
  if (output.length <= 2 * KEPT_OUTPUT) return { ...terminal, output, rest };
  return { ...terminal, output: output.slice(-KEPT_OUTPUT), truncated: true, rest };
}

const NO_BYTES = /* @__PURE__ */ new Uint8Array();

function emptyTerminal(terminalId: string): KeptTerminal {
  return {
    terminalId,
    command: undefined,
    cwd: undefined,
    output: "",
    truncated: false,
    exit: undefined,
    size: undefined,
    canCancel: false,
    rest: NO_BYTES,
  };
}

/** Partial updates: `undefined` keeps the value, `null` clears it. */
function patched<T>(current: T | undefined, next: T | null | undefined): T | undefined {
  if (next === undefined) return current;
  return next ?? undefined;
}
