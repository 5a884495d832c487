import type {
  AgentTerminalState,
  AvailableCommand,
  BackgroundWork,
  Cost,
  Meta,
  PlanContent,
  PlanEntry,
  PromptResult,
  RequestOptions,
  SessionActivity,
  SessionConfigOption,
  SessionMessageState,
  SessionModeState,
  SessionStatus,
  SubagentState,
  ToolCallState,
  Update,
  ContextUsage,
} from "../../protocol/acp/index.ts";
import type { AsyncStream } from "../../base/index.ts";
import type { LifecycleState } from "../../transport/wire/index.ts";
import type { PromptContent } from "../turn/prompt-content.ts";

/**
 * How a prompt behaves while another turn runs: it rejects with a BusyError, waits here, or is sent at once,
 * for the agent to insert it when it can. Only v2 agents take more than one prompt (`send`).
 */
export type WhenBusy = "reject" | "wait" | "send";

/** Options for one prompt. */
export interface PromptOptions {
  /** Default: the client's `whenBusy`. */
  readonly whenBusy?: WhenBusy | undefined;
  /** How long the turn may take, instead of the client's `timeouts.turnMs`. 0 means no limit. */
  readonly timeoutMs?: number | undefined;
  /** Cancels the turn when aborted. */
  readonly signal?: AbortSignal | undefined;
  /** Sent as `_meta`. That of the answer is in the turn's result. */
  readonly meta?: Meta | undefined;
}

/** A conversation with an agent. Its state follows the agent's updates. */
export interface Session {
  readonly id: string;
  readonly cwd: string;
  /** The other roots of the session. */
  readonly additionalDirectories: readonly string[];
  /** The `_meta` of the answer that opened the session. */
  readonly meta: Meta | undefined;
  /** `open` until `close` is called, the connection ends, or the agent ignores a cancel. */
  readonly state: LifecycleState;
  /**
   * Resolves (never rejects) when the session is closed and nothing of it is left, with the reason:
   * SessionError (it was closed), ConnectionError or CancelIgnoredError.
   */
  readonly closed: Promise<Error>;

  /** The modes the agent offers and the current one; undefined if it has none. */
  readonly modes: SessionModeState | undefined;
  /** Undefined if the agent has none. If it has some, they supersede the modes. */
  readonly configOptions: readonly SessionConfigOption[] | undefined;
  /** The slash commands that the agent offers now. */
  readonly commands: readonly AvailableCommand[];
  /** The agent's current plan; empty if it has none. */
  readonly plan: readonly PlanEntry[];
  /** By id. Each is merged from all updates about it. */
  readonly toolCalls: ReadonlyMap<string, ToolCallState>;
  /** How full the context is; undefined until the agent reports it. */
  readonly contextUsage: ContextUsage | undefined;
  /** The cost of the session so far; undefined unless the agent reports it. */
  readonly cost: Cost | undefined;
  /** The title of the session; undefined while it has none. */
  readonly title: string | undefined;
  /** The plans with an id; empty without `unstable: true`. `plan` follows the last one with entries. */
  readonly plans: ReadonlyMap<string, PlanContent>;
  /** The subagents, by the id of their session; empty without `unstable: true`. */
  readonly subagents: ReadonlyMap<string, SubagentState>;
  /** The newest messages between this session and others; empty without `unstable: true`. */
  readonly sessionMessages: ReadonlyMap<string, SessionMessageState>;

  /**
   * Whether an agent of v2 works in this session, even without a prompt. Undefined on v1, and until the
   * agent reports it.
   */
  readonly activity: SessionActivity | undefined;
  /** The work in the background, as agents of v2 report it; undefined if they do not. */
  readonly background: readonly BackgroundWork[] | undefined;
  /** The newest terminals on the side of an agent of v2, by id. Empty on v1. */
  readonly terminals: ReadonlyMap<string, AgentTerminalState>;

  /** The state of the running turn; `idle` if there is none. */
  readonly turnState: TurnState;
  /** The running turn. */
  readonly turn: PromptTurn | undefined;
  /** How many events were dropped because `updates()` was not read in time. */
  readonly dropped: number;

  /**
   * Sends a prompt. Never throws. If nothing can be sent, the turn rejects with SessionError (closed),
   * BusyError, CapabilityError (a block that the agent does not support) or InvalidArgumentError.
   */
  prompt(content: PromptContent, options?: PromptOptions): PromptTurn;

  /**
   * Cancels the running turn and those queued behind it. Resolves when they have ended, for any
   * reason, or when the signal is aborted; never rejects. Without a turn, it answers the agent's open
   * questions with `cancelled`, and asks an agent of v2 to end the work that it does by itself.
   */
  cancel(options?: CancelOptions): Promise<void>;

  /** Switches the mode. Rejects with CapabilityError, InvalidArgumentError or a call's errors. */
  setMode(modeId: string, options?: RequestOptions): Promise<void>;

  /**
   * Sets an option to one of the values that the agent lists. Rejects with CapabilityError,
   * InvalidArgumentError or a call's errors.
   */
  setConfigOption(
    configId: string,
    value: string | boolean,
    options?: RequestOptions,
  ): Promise<void>;

  /**
   * Asks an agent of v2 to end one tool call, while the turn goes on. Resolves when the agent has
   * accepted it; the end itself is an update. Rejects with CapabilityError unless the call has
   * `canCancel`, and with a call's errors.
   */
  cancelToolCall(toolCallId: string, options?: RequestOptions): Promise<void>;

  /** Like {@link Session.cancelToolCall}, for one of `terminals`. */
  cancelTerminal(terminalId: string, options?: RequestOptions): Promise<void>;

  /**
   * Sets the title, and resolves with the title that the agent stored. Needs `unstable: true` and
   * `sessionCapabilities.title`. Rejects with CapabilityError, InvalidArgumentError or a call's errors.
   */
  setTitle(title: string, options?: RequestOptions): Promise<string>;

  /**
   * Asks whether the agent has the session in memory. Needs `unstable: true` and
   * `sessionCapabilities.status`. Rejects with CapabilityError or a call's errors.
   */
  status(options?: RequestOptions): Promise<SessionStatus>;

  /** One of `subagents`, to read along and to cancel. Throws SessionError for another id. */
  subagent(id: string): Subagent;

  /**
   * All events in order, inside and outside turns. The first reader also gets earlier events, up to
   * `maxBuffered`; a later reader starts with the next event. The stream ends when the session is
   * closed. It throws ConnectionError when the connection fails, and UpdatesLostError when it was not
   * read for too long while other sessions or calls waited. Throws SessionError if the session is closed.
   */
  updates(): AsyncStream<SessionEvent>;

  /**
   * Cancels the turn and closes the session, in the agent too if it supports that. Resolves when the
   * session is closed. If the agent's answer is an error or the signal is aborted, the session is closed
   * on this side only, and the call rejects like any other. Only the options of the first call count.
   */
  close(options?: RequestOptions): Promise<void>;

  /** Calls {@link Session.close}, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** How to cancel. */
export interface CancelOptions {
  /** Stops the waiting when aborted. The cancel itself is sent at once. */
  readonly signal?: AbortSignal | undefined;
  /** Sent as the `_meta` of the cancel. */
  readonly meta?: Meta | undefined;
}

/** How a turn ended: the `stopReason`, the answer, and the agent's unchanged result. */
export interface TurnResult extends PromptResult {
  /** The agent's messages in this turn, with a blank line between two. Bounded to 8 Mi characters. */
  readonly text: string;
  /** The last message. Those before it often only announce a tool call. */
  readonly finalMessage: string;
}

/**
 * One prompt and everything the agent does in response.
 *
 * Iterate over its updates, call `text()`, or just await `result`. It can be iterated only once. Leaving
 * the loop early cancels the turn. A turn without a reader still runs to its end.
 */
export interface PromptTurn extends AsyncIterable<Update> {
  /**
   * Resolves when the turn has ended, after all its updates have arrived. Rejects with RemoteError (the
   * agent answered with an error), ConnectionError (the connection is gone), TimeoutError,
   * CancelIgnoredError, ProtocolViolation, or SessionError (the session was closed); or as
   * {@link Session.prompt} if nothing was sent. The loop throws the same error. A rejection without a listener is not reported as unhandled.
   */
  readonly result: Promise<TurnResult>;
  /** How many updates were dropped because they were not read in time. */
  readonly dropped: number;
  /**
   * Asks the agent to end the turn, which then usually ends with `cancelled`. A queued turn ends
   * immediately. Resolves when the turn has ended, for any reason, or when the signal is aborted;
   * never rejects.
   */
  cancel(options?: CancelOptions): Promise<void>;
  /** Resolves with the `text` of the result. Rejects like `result`. */
  text(): Promise<string>;
}

/** The state of a session's current turn. */
export type TurnState = "idle" | "prompting" | "streaming" | "waiting_permission" | "cancelling";

/** A prompt was sent. */
interface TurnStarted {
  readonly type: "turn_started";
  readonly text: "";
}

/** A turn ended, with the agent's stop reason or with the error that `turn.result` rejects with. */
interface TurnEnded {
  readonly type: "turn_ended";
  readonly text: "";
  /** `end_turn`, `cancelled`, ...; undefined if the turn failed. */
  readonly stopReason: string | undefined;
  /** The error; undefined if the turn ended with a stop reason. */
  readonly error: Error | undefined;
}

/** The agent sent a message outside the protocol that has no handler. A request was answered with -32601. */
export interface ExtensionEvent {
  readonly type: "extension";
  readonly text: "";
  /** Whether it is a request or a notification. */
  readonly message: "request" | "notification";
  readonly method: string;
  /** The params, as received. */
  readonly params: unknown;
}

/**
 * An item of `session.updates()`: every update from the agent, the start and end of each turn, and
 * messages about the session that nothing handles.
 */
export type SessionEvent = Update | TurnStarted | TurnEnded | ExtensionEvent;

/**
 * A subagent: a session that the agent created and that belongs to another session. The agent gives it
 * work, and the client can read along.
 */
export interface Subagent {
  readonly id: string;
  /** Its title, its current work and the like, as far as the agent reported them. */
  readonly details: SubagentState | undefined;
  /** Its tool calls, by id. */
  readonly toolCalls: ReadonlyMap<string, ToolCallState>;
  /** Its plan. */
  readonly plan: readonly PlanEntry[];
  /** Its plans with an id. */
  readonly plans: ReadonlyMap<string, PlanContent>;
  /** How full its context is. */
  readonly contextUsage: ContextUsage | undefined;
  /** Its cost so far. */
  readonly cost: Cost | undefined;
  /** Its own subagents. */
  readonly subagents: ReadonlyMap<string, SubagentState>;
  /** One of its own subagents. Throws SessionError if there is none with this id. */
  subagent(id: string): Subagent;
  /** All updates in its session, in order. Like `session.updates()`. */
  updates(): AsyncStream<SessionEvent>;
  /**
   * Asks the agent to stop the subagent's work, and answers its open questions with `cancelled`.
   * Rejects with CapabilityError unless its details say `canCancel`.
   */
  cancel(): Promise<void>;
}
