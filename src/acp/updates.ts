import type { JsonObject } from "../wire/index.ts";
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
import type { UnstableUpdate } from "./unstable/updates.ts";

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
  | UnstableUpdate
  | UnknownUpdate;

export type UpdateType = Update["type"];

/** The members of the union with the given `type`. */
export type UpdateOf<T extends UpdateType> = Extract<Update, { readonly type: T }>;

export interface UserMessageChunk extends UpdateMeta {
  readonly type: "user_message_chunk";
  readonly text: "";
  readonly raw: JsonObject;
  readonly content: ContentBlock;
  readonly messageId: string | undefined;
}

export interface AgentMessageChunk extends UpdateMeta {
  readonly type: "agent_message_chunk";
  readonly text: string;
  readonly raw: JsonObject;
  readonly content: ContentBlock;
  readonly messageId: string | undefined;
}

export interface AgentThoughtChunk extends UpdateMeta {
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
  /** The kind as received. */
  readonly rawKind: string | undefined;
  /** `undefined` when the status is unknown. */
  readonly status: ToolCallStatus | undefined;
  /** The status as received. */
  readonly rawStatus: string | undefined;
  readonly content: readonly ToolCallContent[] | undefined;
  readonly locations: readonly ToolCallLocation[] | undefined;
  readonly rawInput: unknown;
  readonly rawOutput: unknown;
  readonly meta: Meta | undefined;
}

export interface ToolCallChange extends ToolCallPatch, UpdateCarrier {
  readonly type: "tool_call" | "tool_call_update";
  readonly text: "";
  readonly raw: JsonObject;
}

export interface PlanChange extends UpdateMeta {
  readonly type: "plan";
  readonly text: "";
  readonly raw: JsonObject;
  /** The whole plan. An unknown priority reads as `medium`, an unknown status as `pending`. */
  readonly entries: readonly PlanEntry[];
}

export interface CommandsChange extends UpdateMeta {
  readonly type: "available_commands_update";
  readonly text: "";
  readonly raw: JsonObject;
  readonly commands: readonly AvailableCommand[];
}

export interface ModeChange extends UpdateMeta {
  readonly type: "current_mode_update";
  readonly text: "";
  readonly raw: JsonObject;
  readonly currentModeId: string;
}

export interface ConfigOptionsChange extends UpdateMeta {
  readonly type: "config_option_update";
  readonly text: "";
  readonly raw: JsonObject;
  /** The complete list, except options of unknown types. */
  readonly configOptions: readonly SessionConfigOption[];
}

export interface SessionInfoChange extends UpdateMeta {
  readonly type: "session_info_update";
  readonly text: "";
  readonly raw: JsonObject;
  /** `null` clears the value, `undefined` keeps it. */
  readonly title: string | null | undefined;
  /** `null` clears the value, `undefined` keeps it. */
  readonly updatedAt: string | null | undefined;
}

export interface UsageChange extends UpdateMeta {
  readonly type: "usage_update";
  readonly text: "";
  readonly raw: JsonObject;
  readonly used: number;
  readonly size: number;
  readonly cost: Cost | undefined;
}

export interface NoticeUpdate extends UpdateMeta {
  readonly type: "notice";
  readonly text: "";
  readonly raw: JsonObject;
  /** `info`, `warning`, `error`, or the agent's own word. */
  readonly severity: string;
  readonly title: string;
  readonly description: string | undefined;
}

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

export interface CompactionChunk extends UpdateMeta {
  readonly type: "compaction_summary_chunk";
  readonly text: "";
  readonly raw: JsonObject;
  readonly compactionId: string;
  readonly content: ContentBlock;
}

/** A diff outside a tool call. It is not part of v1: some agents send it, Dragoman only reads it. */
export interface DiffUpdate extends UpdateMeta {
  readonly type: "diff";
  readonly text: "";
  readonly raw: JsonObject;
  readonly path: string;
  readonly oldText: string | undefined;
  readonly newText: string;
}

/** An update of an unknown kind, or of a known kind without its required fields. */
export interface UnknownUpdate extends UpdateMeta {
  readonly type: "unknown";
  readonly text: "";
  readonly raw: unknown;
  /** `sessionUpdate` as received; empty when there is none. */
  readonly kind: string;
}
