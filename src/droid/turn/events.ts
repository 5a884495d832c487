import type { JsonObject } from "../../base/index.ts";
import type { DroidFailure } from "../protocol/failures.ts";
import type { TokenUsage } from "../../protocol/acp/index.ts";
import type { DroidPlanEntry, McpServerStatus } from "../protocol/messages.ts";
import type { DroidSettings } from "../protocol/settings.ts";
import type { WorkingState } from "../protocol/session.ts";

/** A piece of the answer. The pieces of a message, joined in order, are its whole text. */
interface TextEvent {
  readonly type: "text";
  readonly messageId: string;
  /** The position of its block in the message, counted from 0. */
  readonly blockIndex: number;
  readonly text: string;
}

/** A piece of the model's thinking; works like a text event. */
interface ThinkingEvent {
  readonly type: "thinking";
  readonly messageId: string;
  /** The position of its block in the message, counted from 0. */
  readonly blockIndex: number;
  readonly text: string;
}

/** A tool call, new or updated. Each event has everything known about the call so far. */
export interface ToolCallEvent {
  readonly type: "tool_call";
  readonly id: string;
  readonly name: string;
  /** The input, as far as the model has written it. */
  readonly input: JsonObject;
  /** False while the model is still writing the input. */
  readonly isComplete: boolean;
  /** Since 0.215. */
  readonly phase: "queued" | "executing" | undefined;
  readonly messageId: string | undefined;
}

/** Progress of a running tool. `output` is the whole output of a command so far, if Droid sends it. */
export interface ToolProgressEvent {
  readonly type: "tool_progress";
  readonly id: string;
  readonly name: string;
  readonly text: string;
  /** The whole output of a command so far, if Droid sends it. */
  readonly output: string | undefined;
  /** Set once a sub-agent has started for this call. */
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

/** The whole to-do list, each time it changes. */
interface PlanEvent {
  readonly type: "plan";
  readonly toolId: string;
  readonly entries: readonly DroidPlanEntry[];
}

/** Droid's state changed. A repeated state is reported once. */
interface StateEvent {
  readonly type: "state";
  /** The new state. */
  readonly state: WorkingState;
}

/** A permission request was answered by the client, or by Droid itself: an interrupt cancels it. */
interface PermissionResolvedEvent {
  readonly type: "permission_resolved";
  readonly requestId: string;
  /** Empty if the answer was `cancel`. */
  readonly toolIds: readonly string[];
  /** The value of the option that was chosen. */
  readonly option: string;
}

/** The answer to a prompt with an output schema. */
interface StructuredOutputEvent {
  readonly type: "structured_output";
  readonly messageId: string | undefined;
  /** The answer, which should match the schema of the prompt. */
  readonly value: unknown;
}

/** Token counts of the whole session so far. May arrive after the end of the turn. */
interface UsageEvent {
  readonly type: "usage";
  readonly sessionId: string | undefined;
  /** The tokens of the session, without sub-agents. */
  readonly usage: TokenUsage;
  /** The credits of the session. Not in 0.99. */
  readonly credits: number | undefined;
  /** Including the tokens of sub-agents. */
  readonly inclusive: TokenUsage | undefined;
  /** The tokens of the last call of the model, if Droid reports them. */
  readonly lastCall: TokenUsage | undefined;
}

/** The session has a new title. May arrive long after the turn. */
interface TitleEvent {
  readonly type: "title";
  readonly title: string;
  /** `first_user_message`, `llm_generated` or `manual_rename`, if Droid reports it. */
  readonly source: string | undefined;
}

/** The settings now in effect. */
interface SettingsEvent {
  readonly type: "settings";
  readonly settings: DroidSettings;
}

/** The state of the MCP servers, or a login that a server requires. */
type McpEvent =
  | {
      readonly type: "mcp";
      readonly kind: "status";
      /** The servers from the user's and the project's settings. */
      readonly servers: readonly McpServerStatus[];
    }
  | {
      readonly type: "mcp";
      readonly kind: "auth_required";
      /** The name of the server. */
      readonly server: string;
      readonly url: string | undefined;
      readonly message: string | undefined;
    }
  | {
      readonly type: "mcp";
      readonly kind: "auth_completed";
      /** The name of the server. */
      readonly server: string;
      readonly raw: JsonObject;
    };

/** Information for the user beside the conversation. */
export type NoticeEvent =
  /** The model service failed, and Droid tries again. */
  | {
      readonly type: "notice";
      readonly kind: "retry";
      /** The number of the attempt, if Droid reports it. */
      readonly attempt: number | undefined;
      /** Why the previous attempt failed, if Droid reports it. */
      readonly reason: string | undefined;
    }
  | {
      readonly type: "notice";
      readonly kind: "compaction";
      /** How many messages the summary replaces, if Droid reports it. */
      readonly removedCount: number | undefined;
      readonly summaryId: string | undefined;
    }
  | {
      readonly type: "notice";
      readonly kind: "hook";
      /** Whether the hook started or completed. */
      readonly stage: "started" | "completed";
      readonly hookId: string;
      /** The event that triggers the hook, such as `PreToolUse`. */
      readonly event: string;
      /** The tool call that triggered it, if one did. */
      readonly toolId: string | undefined;
      readonly raw: JsonObject;
    }
  /** Droid discarded a queued message. */
  | {
      readonly type: "notice";
      readonly kind: "discarded";
      readonly text: string;
      readonly requestId: string | undefined;
    }
  /** A message from Droid itself to the user, such as an error text or "/x is running". */
  | {
      readonly type: "notice";
      readonly kind: "message";
      readonly messageId: string;
      readonly text: string;
    }
  /** The work continues under another session id (a plan approved into a new session). */
  | { readonly type: "notice"; readonly kind: "session"; readonly sessionId: string }
  /** The turn was not iterated for this long that its earlier events were dropped. */
  | {
      readonly type: "notice";
      readonly kind: "events_dropped";
      /** How many events were dropped. */
      readonly count: number;
    };

/** Discard everything received of this message. Later events with the same id start it again. */
interface RetractedEvent {
  readonly type: "retracted";
  readonly messageId: string;
}

/** The model service failed. Unless Droid recovers, the turn ends with the same failure. */
interface ErrorEvent {
  readonly type: "error";
  readonly failure: DroidFailure;
}

/** A notification that this library does not know, unchanged. */
interface UnknownEvent {
  readonly type: "unknown";
  /** The notification as Droid sent it. */
  readonly notification: JsonObject;
}

/** An event of a turn; `type` is its kind. */
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
