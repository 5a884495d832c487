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
import type { UnstableUpdate } from "./unstable/updates.ts";
import type { V2ContentFields } from "./v2/types.ts";
import type { V2Update } from "./v2/updates.ts";

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
  | V2Update
  | UnknownUpdate;

/** The kinds of updates. */
export type UpdateType = Update["type"];

/** The members of the union with the given `type`. */
export type UpdateOf<T extends UpdateType> = Extract<Update, Readonly<Record<"type", T>>>;

/** A part of a user message, usually from the history of a loaded session. */
export interface UserMessageChunk extends UpdateMeta {
  readonly type: "user_message_chunk";
  readonly text: "";
  /** The update as received, with all its fields. */
  readonly raw: JsonObject;
  readonly content: ContentBlock;
  /** The message it belongs to, if the agent names it. */
  readonly messageId: string | undefined;
}

/** A part of the agent's answer. */
export interface AgentMessageChunk extends UpdateMeta {
  readonly type: "agent_message_chunk";
  /** The text of this part; empty if its content is not text. */
  readonly text: string;
  /** The update as received, with all its fields. */
  readonly raw: JsonObject;
  readonly content: ContentBlock;
  /** The message it belongs to, if the agent names it. */
  readonly messageId: string | undefined;
}

/** A part of the agent's thoughts. */
export interface AgentThoughtChunk extends UpdateMeta {
  readonly type: "agent_thought_chunk";
  readonly text: "";
  /** The update as received, with all its fields. */
  readonly raw: JsonObject;
  readonly content: ContentBlock;
  /** The message it belongs to, if the agent names it. */
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
  /** The tool's programmatic name. */
  readonly name: string | undefined;
  /** `other` when the kind is unknown. */
  readonly kind: ToolKind | undefined;
  /** The kind as received. */
  readonly rawKind: string | undefined;
  /** `undefined` when the status is unknown. */
  readonly status: ToolCallStatus | undefined;
  /** The status as received. */
  readonly rawStatus: string | undefined;
  /** The content that the tool produced: text, diffs and terminals. */
  readonly content: readonly ShownContent[] | undefined;
  /** The files that the tool works on. */
  readonly locations: readonly ToolCallLocation[] | undefined;
  /** The input of the tool, as the agent sent it. */
  readonly rawInput: unknown;
  /** The output of the tool, as the agent sent it. */
  readonly rawOutput: unknown;
  /** Whether the client may cancel this call alone. Only agents of v2 allow it. */
  readonly canCancel?: boolean | undefined;
  /** The fields that an agent of v2 cleared: `title`, `name`, `rawInput` or `rawOutput`. */
  readonly cleared?: readonly string[] | undefined;
  /** The `_meta` of the tool call. */
  readonly meta: Meta | undefined;
}

/** An item of a tool call's content, with the fields that agents of v2 add. */
export type ShownContent = ToolCallContent & V2ContentFields;

/** A tool call, new or updated. */
export interface ToolCallChange extends ToolCallPatch, UpdateCarrier {
  /** Whether the agent announced the call or updated it. */
  readonly type: "tool_call" | "tool_call_update";
  readonly text: "";
  /** The update as received, with all its fields. */
  readonly raw: JsonObject;
}

/** The agent's plan changed. */
export interface PlanChange extends UpdateMeta {
  readonly type: "plan";
  readonly text: "";
  /** The update as received, with all its fields. */
  readonly raw: JsonObject;
  /** The whole plan. An unknown priority reads as `medium`, an unknown status as `pending`. */
  readonly entries: readonly PlanEntry[];
}

/** The list of slash commands changed. */
export interface CommandsChange extends UpdateMeta {
  readonly type: "available_commands_update";
  readonly text: "";
  /** The update as received, with all its fields. */
  readonly raw: JsonObject;
  /** The complete list. */
  readonly commands: readonly AvailableCommand[];
}

/** The mode of the session changed. */
export interface ModeChange extends UpdateMeta {
  readonly type: "current_mode_update";
  readonly text: "";
  /** The update as received, with all its fields. */
  readonly raw: JsonObject;
  /** The mode now in effect. */
  readonly currentModeId: string;
}

/** The config options of the session changed. */
export interface ConfigOptionsChange extends UpdateMeta {
  readonly type: "config_option_update";
  readonly text: "";
  /** The update as received, with all its fields. */
  readonly raw: JsonObject;
  /** The complete list, except options of unknown types. */
  readonly configOptions: readonly SessionConfigOption[];
}

/** The title or the time of the last activity of the session changed. */
export interface SessionInfoChange extends UpdateMeta {
  readonly type: "session_info_update";
  readonly text: "";
  /** The update as received, with all its fields. */
  readonly raw: JsonObject;
  /** `null` clears the value, `undefined` keeps it. */
  readonly title: string | null | undefined;
  /** `null` clears the value, `undefined` keeps it. */
  readonly updatedAt: string | null | undefined;
}

/** How full the context is, and the cost so far. */
export interface UsageChange extends UpdateMeta {
  readonly type: "usage_update";
  readonly text: "";
  /** The update as received, with all its fields. */
  readonly raw: JsonObject;
  /** Tokens in the context now. */
  readonly used: number;
  /** Tokens the context can hold. */
  readonly size: number;
  /** The cost of the session so far, if the agent reports it. */
  readonly cost: Cost | undefined;
}

/** A transient notice for the user. */
export interface NoticeUpdate extends UpdateMeta {
  readonly type: "notice";
  readonly text: "";
  /** The update as received, with all its fields. */
  readonly raw: JsonObject;
  /** `info`, `warning`, `error`, or the agent's own word. */
  readonly severity: string;
  readonly title: string;
  /** More text, if there is any. */
  readonly description: string | undefined;
}

/** The state of a compaction of the context changed. */
export interface CompactionChange extends UpdateMeta {
  readonly type: "compaction_update";
  readonly text: "";
  /** The update as received, with all its fields. */
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
  /** The update as received, with all its fields. */
  readonly raw: JsonObject;
  readonly compactionId: string;
  readonly content: ContentBlock;
}

/** A diff outside a tool call. It is not part of v1: some agents send it, Dragoman only reads it. */
export interface DiffUpdate extends UpdateMeta {
  readonly type: "diff";
  readonly text: "";
  /** The update as received, with all its fields. */
  readonly raw: JsonObject;
  readonly path: string;
  /** The text before the change; undefined for a new file. */
  readonly oldText: string | undefined;
  /** The text after the change. */
  readonly newText: string;
}

/** An update of an unknown kind, or of a known kind without its required fields. */
export interface UnknownUpdate extends UpdateMeta {
  readonly type: "unknown";
  readonly text: "";
  /** The update as received, with all its fields. */
  readonly raw: unknown;
  /** `sessionUpdate` as received; empty when there is none. */
  readonly kind: string;
}
