import type { JsonObject } from "../../base/index.ts";
import type { Meta, UpdateCarrier, UpdateMeta } from "./meta.ts";
import type {
  AvailableCommand,
  ContentBlock,
  Cost,
  PlanEntry,
  SessionConfigOption,
  ToolCallContent,
  ToolCallLocation,
  ToolCallStatus,
  ToolKind,
} from "./types.ts";
import type { PlanContent, SubagentActivity } from "./types/unstable.ts";

/**
 * One `session/update`, discriminated by `type` (`sessionUpdate` on the wire).
 *
 * Every update has `text`, its part of the agent's answer: printing the `text` of all updates prints
 * exactly the answer. It is empty except for an `agent_message_chunk` with text content.
 * Every update has `raw`, the object as received with all its fields. `meta` and `notificationMeta` are
 * present if the agent sent them.
 */
export type Update =
  | UserMessageChunk
  | AgentMessageChunk
  | AgentThoughtChunk
  | ToolCallChange
  | PlanChange
  | CommandsChange
  | ModeChange
  | ConfigOptionsChange
  | SessionInfoChange
  | UsageChange
  | NoticeUpdate
  | CompactionChange
  | CompactionChunk
  | DiffUpdate
  | DraftUpdate
  | UnknownUpdate;

/** The members of the union with the given `type`. */
export type UpdateOf<T extends Update["type"]> = Extract<Update, Readonly<Record<"type", T>>>;

/**
 * An update from a draft: version 2, or an unstable part of version 1. Its fields may change with any
 * release. `dragoman/unstable` describes them.
 */
interface DraftUpdate extends UpdateMeta {
  readonly type: (UnstableUpdate | V2Update)["type"];
  readonly text: "";
  readonly raw: JsonObject;
}

/** An update with the fields of the drafts. */
export type AnyUpdate = Exclude<Update, DraftUpdate> | UnstableUpdate | V2Update;

/** Whether an event is an update. Narrows it to the union that has the fields of the drafts. */
export function isAnyUpdate(event: { readonly type: string }): event is AnyUpdate {
  return event.type in UPDATE_TYPES;
}

const UPDATE_TYPES: Readonly<Record<AnyUpdate["type"], true>> = {
  user_message_chunk: true,
  agent_message_chunk: true,
  agent_thought_chunk: true,
  tool_call: true,
  tool_call_update: true,
  plan: true,
  available_commands_update: true,
  current_mode_update: true,
  config_option_update: true,
  session_info_update: true,
  usage_update: true,
  notice: true,
  compaction_update: true,
  compaction_summary_chunk: true,
  diff: true,
  unknown: true,
  plan_update: true,
  plan_removed: true,
  subagent_update: true,
  session_message: true,
  session_message_chunk: true,
  state_update: true,
  user_message: true,
  agent_message: true,
  agent_thought: true,
  terminal_update: true,
  terminal_output_chunk: true,
};

/** A part of a user message, usually from the history of a loaded session. */
interface UserMessageChunk extends UpdateMeta {
  readonly type: "user_message_chunk";
  readonly text: "";
  readonly raw: JsonObject;
  readonly content: ContentBlock;
  readonly messageId: string | undefined;
}

/** A part of the agent's answer. */
interface AgentMessageChunk extends UpdateMeta {
  readonly type: "agent_message_chunk";
  /** The text of this part; empty if its content is not text. */
  readonly text: string;
  readonly raw: JsonObject;
  readonly content: ContentBlock;
  readonly messageId: string | undefined;
}

/** A part of the agent's thoughts. */
interface AgentThoughtChunk extends UpdateMeta {
  readonly type: "agent_thought_chunk";
  readonly text: "";
  readonly raw: JsonObject;
  readonly content: ContentBlock;
  readonly messageId: string | undefined;
  /** The text of the thought; empty when its content is not text. */
  readonly thought: string;
}

/**
 * The content of a `tool_call`, a `tool_call_update` or the `toolCall` of a permission request.
 * `undefined` means that the field is absent. Items of `content` and `locations` that are malformed
 * or of an unknown type are left out; `raw` still has them.
 */
export interface ToolCallPatch {
  readonly toolCallId: string;
  readonly title: string | undefined;
  readonly name: string | undefined;
  /** `other` when the kind is unknown. */
  readonly kind: ToolKind | undefined;
  readonly rawKind: string | undefined;
  /** `undefined` when the status is unknown. */
  readonly status: ToolCallStatus | undefined;
  readonly rawStatus: string | undefined;
  /** The content that the tool produced: text, diffs and terminals. */
  readonly content: readonly ShownContent[] | undefined;
  /** The files that the tool works on. */
  readonly locations: readonly ToolCallLocation[] | undefined;
  readonly rawInput: unknown;
  readonly rawOutput: unknown;
  /** Whether the client may cancel this call alone. Only agents of v2 allow it. */
  readonly canCancel?: boolean | undefined;
  /** The fields that an agent of v2 cleared: `title`, `name`, `rawInput` or `rawOutput`. */
  readonly cleared?: readonly string[] | undefined;
  readonly meta: Meta | undefined;
}

/** An item of a tool call's content, with the fields that agents of v2 add. */
export type ShownContent = ToolCallContent & V2ContentFields;

/** A tool call, new or updated. */
export interface ToolCallChange extends ToolCallPatch, UpdateCarrier {
  /** Whether the agent announced the call or updated it. */
  readonly type: "tool_call" | "tool_call_update";
  readonly text: "";
  readonly raw: JsonObject;
}

/** The agent's plan changed. */
interface PlanChange extends UpdateMeta {
  readonly type: "plan";
  readonly text: "";
  readonly raw: JsonObject;
  /** The whole plan. An unknown priority reads as `medium`, an unknown status as `pending`. */
  readonly entries: readonly PlanEntry[];
}

/** The list of slash commands changed. */
interface CommandsChange extends UpdateMeta {
  readonly type: "available_commands_update";
  readonly text: "";
  readonly raw: JsonObject;
  /** The complete list. */
  readonly commands: readonly AvailableCommand[];
}

/** The mode of the session changed. */
interface ModeChange extends UpdateMeta {
  readonly type: "current_mode_update";
  readonly text: "";
  readonly raw: JsonObject;
  readonly currentModeId: string;
}

/** The config options of the session changed. */
interface ConfigOptionsChange extends UpdateMeta {
  readonly type: "config_option_update";
  readonly text: "";
  readonly raw: JsonObject;
  /** The complete list, except options of unknown types. */
  readonly configOptions: readonly SessionConfigOption[];
}

/** The title or the time of the last activity of the session changed. */
interface SessionInfoChange extends UpdateMeta {
  readonly type: "session_info_update";
  readonly text: "";
  readonly raw: JsonObject;
  /** `null` clears the value, `undefined` keeps it. */
  readonly title: string | null | undefined;
  /** `null` clears the value, `undefined` keeps it. */
  readonly updatedAt: string | null | undefined;
}

/** How full the context is, and the cost so far. */
interface UsageChange extends UpdateMeta {
  readonly type: "usage_update";
  readonly text: "";
  readonly raw: JsonObject;
  /** Tokens in the context now. */
  readonly used: number;
  /** Tokens the context can hold. */
  readonly size: number;
  /** The cost of the session so far, if the agent reports it. */
  readonly cost: Cost | undefined;
}

/** A transient notice for the user. */
interface NoticeUpdate extends UpdateMeta {
  readonly type: "notice";
  readonly text: "";
  readonly raw: JsonObject;
  /** `info`, `warning`, `error`, or the agent's own word. */
  readonly severity: string;
  readonly title: string;
  readonly description: string | undefined;
}

/** The state of a compaction of the context changed. */
export interface CompactionChange extends UpdateMeta {
  readonly type: "compaction_update";
  readonly text: "";
  readonly raw: JsonObject;
  readonly compactionId: string;
  /** `in_progress`, `completed`, `failed`, `cancelled`, or the agent's own word. */
  readonly status: string;
  /** `null` clears the value, `undefined` keeps it. */
  readonly summary: readonly ContentBlock[] | null | undefined;
  /** `null` clears the value, `undefined` keeps it. */
  readonly error: string | null | undefined;
}

/** A part of the summary that a compaction writes. */
export interface CompactionChunk extends UpdateMeta {
  readonly type: "compaction_summary_chunk";
  readonly text: "";
  readonly raw: JsonObject;
  readonly compactionId: string;
  readonly content: ContentBlock;
}

/** A diff outside a tool call. It is not part of v1: some agents send it, Dragoman only reads it. */
interface DiffUpdate extends UpdateMeta {
  readonly type: "diff";
  readonly text: "";
  readonly raw: JsonObject;
  readonly path: string;
  /** The text before the change; undefined for a new file. */
  readonly oldText: string | undefined;
  readonly newText: string;
}

/** An update of an unknown kind, or of a known kind without its required fields. */
interface UnknownUpdate extends UpdateMeta {
  readonly type: "unknown";
  readonly text: "";
  readonly raw: unknown;
  /** `sessionUpdate` as received; empty when there is none. */
  readonly kind: string;
}

/** The members of `Update` that only a client with `unstable: true` reads. */
export type UnstableUpdate =
  | PlanUpdateChange
  | PlanRemovedChange
  | SubagentChange
  | SessionMessageChange
  | SessionMessageChunkChange;

/** A plan with an id was created or replaced. */
export interface PlanUpdateChange extends UpdateMeta {
  readonly type: "plan_update";
  readonly text: "";
  readonly raw: JsonObject;
  /** The whole plan. */
  readonly plan: PlanContent;
}

/** A plan was removed. */
export interface PlanRemovedChange extends UpdateMeta {
  readonly type: "plan_removed";
  readonly text: "";
  readonly raw: JsonObject;
  readonly planId: string;
}

/**
 * The session has a subagent, which is a session of its own, or details of one changed. `undefined`
 * keeps a value and `null` clears it.
 */
export interface SubagentChange extends UpdateMeta {
  readonly type: "subagent_update";
  readonly text: "";
  readonly raw: JsonObject;
  readonly sessionId: string;
  readonly title: string | null | undefined;
  readonly description: string | null | undefined;
  /** Whether the client may cancel its work. */
  readonly canCancel: boolean | undefined;
  /** Its current work. A state that this version does not know reads as `unknown`. */
  readonly activity: SubagentActivity | null | undefined;
  /** Its working folder, if it is not the parent's. */
  readonly cwd: string | null | undefined;
  /** Its additional folders, if they are not the parent's. */
  readonly additionalDirectories: readonly string[] | null | undefined;
}

/** A message between two sessions was created or changed. `undefined` keeps a value, `null` clears it. */
export interface SessionMessageChange extends UpdateMeta {
  readonly type: "session_message";
  readonly text: "";
  readonly raw: JsonObject;
  readonly messageId: string;
  readonly senderSessionId: string | null | undefined;
  readonly recipientSessionId: string | null | undefined;
  readonly senderMessageId: string | null | undefined;
  readonly recipientMessageId: string | null | undefined;
  /** The whole content. Blocks of unknown types are left out. */
  readonly content: readonly ContentBlock[] | null | undefined;
}

/** The next part of a message between two sessions. */
export interface SessionMessageChunkChange extends UpdateMeta {
  readonly type: "session_message_chunk";
  readonly text: "";
  readonly raw: JsonObject;
  readonly messageId: string;
  readonly content: ContentBlock;
}

/** Whether an agent works in a session. `requires_action` waits for the user, `unknown` counts as busy. */
export type SessionActivity = "running" | "requires_action" | "idle" | "unknown";

/** Work that goes on in the background of a session, for example a server that keeps running. */
export type BackgroundWork =
  | {
      readonly type: "terminal";
      readonly terminalId: string;
    }
  | {
      readonly type: "tool_call";
      readonly toolCallId: string;
    }
  | {
      /** Work of a type that this version does not know. */
      readonly type: "unknown";
      readonly raw: unknown;
    };

/** Why the work of an agent failed. */
export interface WorkFailure {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** How the command of an agent's terminal ended. Both are undefined if the agent does not know. */
export interface TerminalEnd {
  readonly code: number | undefined;
  /** The signal that ended it. */
  readonly signal: string | undefined;
}

/** The size of a terminal. */
export interface TerminalSize {
  readonly cols: number;
  readonly rows: number;
}

/** A change of one file, as agents of v2 describe it. */
interface DiffChange {
  /** `add`, `delete`, `modify`, `move`, `copy`, or the agent's own word. */
  readonly operation: string;
  readonly path: string;
  /** The path before a move or copy. */
  readonly oldPath?: string | undefined;
  /** `text`, `binary`, `directory`, `symlink`, or the agent's own word. */
  readonly fileType?: string | undefined;
  readonly mimeType?: string | undefined;
}

/** The fields that an item of a tool call's content has in addition if the agent speaks v2. */
export interface V2ContentFields {
  /** The change that this item shows, as a whole or in part. */
  readonly change?: DiffChange | undefined;
  /** The Git patch of the file, with absolute paths. */
  readonly patch?: string | undefined;
  /** The terminal on the agent's side whose text this item shows. */
  readonly terminalId?: string | undefined;
}

/** The members of `Update` that only agents of v2 send. */
export type V2Update = StateChange | MessageChange | AgentTerminalChange | AgentTerminalChunk;

/** The agent started or ended work, or waits for the user. It may repeat a state. */
export interface StateChange extends UpdateMeta {
  readonly type: "state_update";
  readonly text: "";
  readonly raw: JsonObject;
  /** The state. One that this version does not know reads as `unknown`, which means busy. */
  readonly activity: SessionActivity;
  /** The complete list of work that goes on in the background; undefined if the agent does not say. */
  readonly background: readonly BackgroundWork[] | undefined;
  /** Why the work ended; only with `idle`, and only if the agent says so. */
  readonly stopReason: string | undefined;
  /** Why the work failed; only with the stop reason `error`. */
  readonly error: WorkFailure | undefined;
}

/**
 * A whole message was created or changed. New text also arrives as chunks, so that reading only the
 * chunks gives the whole conversation.
 */
interface MessageChange extends UpdateMeta {
  /** Who wrote the message. */
  readonly type: "user_message" | "agent_message" | "agent_thought";
  readonly text: "";
  readonly raw: JsonObject;
  /** The id of the message. The three types have ids of their own. */
  readonly messageId: string;
  /** The whole content. `null` clears it, `undefined` keeps it. Blocks of unknown types are left out. */
  readonly content: readonly ContentBlock[] | null | undefined;
}

/** An agent's terminal was created or changed. `undefined` keeps a value, `null` clears it. */
export interface AgentTerminalChange extends UpdateMeta {
  readonly type: "terminal_update";
  readonly text: "";
  readonly raw: JsonObject;
  readonly terminalId: string;
  readonly command: string | null | undefined;
  readonly cwd: string | null | undefined;
  /** All bytes of the output so far. They may contain control sequences. */
  readonly output: Uint8Array | null | undefined;
  /** How the command ended. */
  readonly exit: TerminalEnd | null | undefined;
  /** The size of the terminal. */
  readonly size: TerminalSize | null | undefined;
  /** Whether the client may cancel the command. */
  readonly canCancel: boolean | undefined;
}

/** More output of a terminal on the agent's side. */
export interface AgentTerminalChunk extends UpdateMeta {
  readonly type: "terminal_output_chunk";
  readonly text: "";
  readonly raw: JsonObject;
  readonly terminalId: string;
  /** The bytes. A character or control sequence may be split between chunks. */
  readonly bytes: Uint8Array;
}
