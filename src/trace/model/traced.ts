import type { RecordedDecision, RecordedEvent } from "../../transport/wire/index.ts";
import type { WireLine } from "../message.ts";

/*
 * The things that frames add up to. They refer to frames and to each other by number, and -1 stands for
 * none. Texts and contents stay in the frames, and details.ts reads them when they are shown.
 */

/** A type whose owner may change its values. */
export type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** A frame that was just read, for everything that follows the frames one by one. */
export interface TracedFrame extends WireLine {
  readonly row: number;
  readonly ms: number;
  readonly direction: "in" | "out";
  /** The connection; empty for the first or only one. */
  readonly lane: string;
  readonly line: string;
  readonly isNotUtf8: boolean;
  /** The request that a response answers; -1 if there is none. */
  readonly request: number;
  /** The method; for a response, the method of its request. */
  readonly method: string;
}

export interface TracedLane {
  readonly name: string;
  /** The request and the response of `initialize`. */
  readonly initialize: number;
  readonly initialized: number;
  /** The version that the agent chose; undefined before it answered. */
  readonly protocolVersion: number | undefined;
}

export interface TracedSession {
  readonly number: number;
  readonly lane: string;
  readonly id: string;
  /** The request that opened it, such as `session/new`. */
  readonly opened: number;
  /** The last `session_info_update`, which may have a title. */
  readonly info: number;
  readonly firstFrame: number;
  readonly lastFrame: number;
  readonly turns: readonly number[];
}

/** The tokens of one turn, as the agent reports them. */
export interface TracedTokens {
  readonly total: number | undefined;
  readonly input: number | undefined;
  readonly output: number | undefined;
  readonly thought: number | undefined;
  readonly cachedRead: number | undefined;
  readonly cachedWrite: number | undefined;
}

/** One prompt and everything until its end. */
export interface TracedTurn {
  readonly number: number;
  readonly session: number;
  /** The `session/prompt`. */
  readonly prompt: number;
  /** The frame that ended the turn: the response, or in v2 the `state_update` to idle. */
  readonly end: number;
  readonly startMs: number;
  /** Undefined while the turn runs. */
  readonly endMs: number | undefined;
  readonly stopReason: string | undefined;
  /** The error that the prompt was answered with, or in v2 the one that ended the work. */
  readonly error: { readonly code: number | undefined; readonly message: string } | undefined;
  /** The first `session/cancel`. */
  readonly cancel: number;
  readonly firstUpdate: number;
  /** The longest time without any frame of the session, and the frame before it. Waits for a person do not count. */
  readonly silence: { readonly ms: number; readonly after: number };
  readonly frames: number;
  readonly tools: readonly number[];
  readonly permissions: readonly number[];
  /** Requests that a person answers: permissions and elicitations. */
  readonly personRequests: readonly number[];
  /** Requests that the client answers: `fs/*` and `terminal/*`. */
  readonly clientRequests: readonly number[];
  readonly tokens: TracedTokens | undefined;
}

/** Something unusual about a tool call that is not an error by itself. */
export type ToolCallOddity =
  /** The first frame about the call was an update. */
  | "update_before_call"
  /** Two frames announced the call. */
  | "announced_twice"
  /** A permission was asked for a call that was not announced before. */
  | "asked_before_call";

export interface TracedToolCall {
  readonly number: number;
  readonly session: number;
  /** The turn in which it first appeared. */
  readonly turn: number;
  readonly id: string;
  readonly title: string;
  /** The kind as the agent sent it; empty if it sent none. */
  readonly kind: string;
  /** The status that the agent sent last; `pending` if it sent none. */
  readonly status: string;
  readonly steps: readonly { readonly status: string; readonly ms: number; readonly row: number }[];
  /** All frames about it, permission requests included. */
  readonly frames: readonly number[];
  readonly startMs: number;
  /** When it completed, failed or was cancelled. */
  readonly endMs: number | undefined;
  readonly permissions: readonly number[];
  readonly oddities: readonly ToolCallOddity[];
}

/** Something noteworthy about a permission. */
export type PermissionFlag =
  /** The client chose an option that the agent had not offered. */
  | "answer_not_offered"
  /** The client answered `cancelled`, but had not cancelled the turn. */
  | "cancelled_without_cancel"
  /** The client chose an option that also decides about later requests. */
  | "always"
  /** The tool call was in progress or over before the answer. */
  | "ran_before_answer";

/** One `session/request_permission`. */
export interface TracedPermission {
  readonly number: number;
  readonly session: number;
  readonly turn: number;
  readonly tool: number;
  readonly request: number;
  readonly response: number;
  readonly options: readonly TracedOption[];
  readonly outcome: "open" | "selected" | "cancelled" | "error";
  readonly optionId: string | undefined;
  readonly askedMs: number;
  readonly answeredMs: number | undefined;
  /** Who decided and why, if the recording says so. */
  readonly decision: RecordedDecision | undefined;
  readonly flags: readonly PermissionFlag[];
}

/** An option of a permission request, in the agent's order. */
interface TracedOption {
  readonly optionId: string;
  readonly name: string;
  readonly kind: string;
}

export interface TracedTerminal {
  readonly number: number;
  readonly session: number;
  readonly turn: number;
  readonly id: string;
  /** The `terminal/create`, or in v2 the first update about it. */
  readonly created: number;
  /** Responses of `terminal/output`, or in v2 the updates with output. */
  readonly outputs: readonly number[];
  readonly exit:
    | { readonly code: number | undefined; readonly signal: string | undefined }
    | undefined;
  /** The `terminal/release`. */
  readonly released: number;
  readonly startMs: number;
  readonly endMs: number | undefined;
}

/** The kinds of items in a conversation. */
export type ItemKind =
  | "prompt"
  | "user"
  | "agent"
  | "thought"
  | "plan"
  | "tool"
  | "permission"
  | "notice"
  | "mode"
  | "end";

/** One item of the conversation as people read it. Its frames are a chain: `first`, then `frames.next`. */
export interface TracedItem {
  readonly number: number;
  readonly kind: ItemKind;
  readonly session: number;
  readonly turn: number;
  readonly first: number;
  readonly last: number;
  readonly count: number;
  /** The tool call, permission or turn that the item shows. */
  readonly shows: number;
}

export interface TracedUsage {
  readonly row: number;
  readonly ms: number;
  readonly session: number;
  readonly turn: number;
  readonly used: number;
  readonly size: number;
  readonly cost: { readonly amount: number; readonly currency: string } | undefined;
}

/** Something besides the frames: stderr, an exit, a decision or a note. */
export interface TracedEvent {
  readonly entry: RecordedEvent;
  /** How many frames came before it. */
  readonly before: number;
}

/** A time without any frame or event. */
export interface IdleGap {
  readonly fromMs: number;
  readonly toMs: number;
  /** The frame before the gap. */
  readonly after: number;
}
