import type { JsonObject } from "../../wire/index.ts";
import type { DroidFailure } from "../protocol/failures.ts";
import type { DroidPlanEntry } from "../protocol/plan.ts";
import type { McpServerStatus, TokenUsage, WorkingState } from "../protocol/protocol.ts";
import type { DroidSettings } from "../protocol/settings.ts";

/** A piece of the answer. The pieces of one message, in order, are its whole text, once. */
export interface TextEvent {
  readonly type: "text";
  readonly messageId: string;
  readonly blockIndex: number;
  readonly text: string;
}

/** A piece of the model's thinking, like a piece of text. */
export interface ThinkingEvent {
  readonly type: "thinking";
  readonly messageId: string;
  readonly blockIndex: number;
  readonly text: string;
}

/** A tool call, new or with more known of it: each event carries all that is known so far. */
export interface ToolCallEvent {
  readonly type: "tool_call";
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
  /** False while the model is still writing the input. */
  readonly complete: boolean;
  /** From 0.215 on. */
  readonly phase: "queued" | "executing" | undefined;
  /** The assistant message it belongs to, once known. */
  readonly messageId: string | undefined;
}

/** What a running tool tells. `output` is all of a command's output so far where Droid sends it. */
export interface ToolProgressEvent {
  readonly type: "tool_progress";
  readonly id: string;
  readonly name: string;
  readonly text: string;
  readonly output: string | undefined;
  /** Set when a sub-agent has started for this call. */
  readonly subagentSessionId: string | undefined;
  readonly isError: boolean;
  readonly raw: JsonObject;
}

/** A tool's result, once per tool call. */
export interface ToolResultEvent {
  readonly type: "tool_result";
  readonly id: string;
  readonly messageId: string | undefined;
  readonly content: string;
  readonly isError: boolean;
}

/** The to-do list, whole, each time it changes. */
export interface PlanEvent {
  readonly type: "plan";
  readonly toolId: string;
  readonly entries: readonly DroidPlanEntry[];
}

/** Droid went over to another state; the same state twice is told once. */
export interface StateEvent {
  readonly type: "state";
  readonly state: WorkingState;
}

/** Droid took an answer to a permission request, or gave its own: an interrupt cancels. */
export interface PermissionResolvedEvent {
  readonly type: "permission_resolved";
  readonly requestId: string;
  /** Empty when the answer was cancel. */
  readonly toolIds: readonly string[];
  readonly option: string;
}

/** The answer to a prompt with an output schema. */
export interface StructuredOutputEvent {
  readonly type: "structured_output";
  readonly messageId: string | undefined;
  readonly value: unknown;
}

/** Token counts of the whole session so far. May come after the turn's end. */
export interface UsageEvent {
  readonly type: "usage";
  readonly sessionId: string | undefined;
  readonly usage: TokenUsage;
  /** With what sub-agents used. */
  readonly inclusive: TokenUsage | undefined;
  readonly lastCall: TokenUsage | undefined;
}

/** The session has a new title. May come long after the turn. */
export interface TitleEvent {
  readonly type: "title";
  readonly title: string;
  /** `first_user_message`, `llm_generated`, `manual_rename`, where Droid says so. */
  readonly source: string | undefined;
}

/** The settings now in force. */
export interface SettingsEvent {
  readonly type: "settings";
  readonly settings: DroidSettings;
}

/** The MCP servers: how they are, and who has to log in where. */
export type McpEvent =
  | {
      readonly type: "mcp";
      readonly kind: "status";
      readonly servers: readonly McpServerStatus[];
    }
  | {
      readonly type: "mcp";
      readonly kind: "auth_required";
      readonly server: string;
      readonly url: string | undefined;
      readonly message: string | undefined;
    }
  | {
      readonly type: "mcp";
      readonly kind: "auth_completed";
      readonly server: string;
      readonly raw: JsonObject;
    };

/** What a user may want to know besides the conversation. */
export type NoticeEvent =
  /** The model service failed and is asked again. */
  | {
      readonly type: "notice";
      readonly kind: "retry";
      readonly attempt: number | undefined;
      readonly reason: string | undefined;
    }
  | {
      readonly type: "notice";
      readonly kind: "compaction";
      readonly removedCount: number | undefined;
      readonly summaryId: string | undefined;
    }
  | {
      readonly type: "notice";
      readonly kind: "hook";
      readonly stage: "started" | "completed";
      readonly hookId: string;
      readonly event: string;
      readonly toolId: string | undefined;
      readonly raw: JsonObject;
    }
  /** Droid threw a waiting message away. */
  | {
      readonly type: "notice";
      readonly kind: "discarded";
      readonly text: string;
      readonly requestId: string | undefined;
    }
  /** Something Droid says to the user beside the model's answer: an error text, "/x is running". */
  | {
      readonly type: "notice";
      readonly kind: "message";
      readonly messageId: string;
      readonly text: string;
    }
  /** The work goes on under another session id (a plan approved into a new session). */
  | { readonly type: "notice"; readonly kind: "session"; readonly sessionId: string }
  /** Nobody iterated the turn for so long that its earlier events were let go. */
  | { readonly type: "notice"; readonly kind: "events_dropped"; readonly count: number };

/** Everything given of this message is void; what follows under the same id starts anew. */
export interface RetractedEvent {
  readonly type: "retracted";
  readonly messageId: string;
}

/** The model service failed; the turn ends with the same failure, if Droid does not recover. */
export interface ErrorEvent {
  readonly type: "error";
  readonly failure: DroidFailure;
}

/** A notification this library does not know, as it came. */
export interface UnknownEvent {
  readonly type: "unknown";
  readonly notification: JsonObject;
}

/** What a turn is made of; `type` tells them apart. */
export type DroidEvent =
  | TextEvent
  | ThinkingEvent
  | ToolCallEvent
  | ToolProgressEvent
  | ToolResultEvent
  | PlanEvent
  | StateEvent
  | PermissionResolvedEvent
  | StructuredOutputEvent
  | UsageEvent
  | TitleEvent
  | SettingsEvent
  | McpEvent
  | NoticeEvent
  | RetractedEvent
  | ErrorEvent
  | UnknownEvent;
