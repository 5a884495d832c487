import type { RequestOptions } from "../../protocol/acp/index.ts";
import type { BufferLimits } from "../turn/update-stream.ts";
import type { Logger } from "../../base/index.ts";
import type { LifecycleState } from "../../transport/wire/index.ts";
import type { TimeoutKind } from "../errors.ts";
import type { Flow } from "../connection/flow.ts";
import type { Subagent, WhenBusy } from "./session.ts";
import type { ResolvedTimeouts } from "../connection/timeouts.ts";

/** The time limit of one call. */
export interface CallLimit {
  readonly kind: TimeoutKind;
  /** The whole limit, which the error message names. */
  readonly ms: number;
  /** How much of it is left. Default: all of it. */
  readonly left?: number | undefined;
}

export interface HostCallOptions extends RequestOptions {
  /** Default: `timeouts.request`. `none` is for calls that may wait for the user. */
  readonly limit?: CallLimit | "none" | undefined;
}

/** The part of a session that its connection uses to forget it. */
export interface HostedSession {
  readonly id: string;
  /** Called when nothing that belongs to the session is left on this side. */
  finish(): void;
}

/** Keeps the subagents of all sessions of a connection. */
export interface SubagentHost {
  /** A session has announced a subagent, perhaps not for the first time. */
  announce(parentId: string, id: string): void;
  /** The subagent of a session. Throws SessionError if there is none with this id. */
  find(parentId: string, id: string): Subagent;
}

/** The part of a connection that a session uses. */
export interface SessionHost {
  /** Whether the connection is open. */
  readonly state: LifecycleState;
  readonly flow: Flow;
  readonly timeouts: ResolvedTimeouts;
  readonly limits: BufferLimits;
  readonly whenBusy: WhenBusy;
  readonly logger: Logger | undefined;
  /** The agent's capabilities, as far as this client may use them. */
  readonly capabilities: unknown;
  /** The version of the protocol in use. */
  readonly protocolVersion: number;
  /** Whether the unstable protocol is used. */
  readonly unstable: boolean;
  readonly subagents: SubagentHost;
  /**
   * Calls the agent with an object as params. `accept` reads the result in wire order. Rejects with AuthRequiredError,
   * TimeoutError, RemoteError, ConnectionError, ProtocolViolation or CallCancelledError.
   */
  call<T>(
    method: string,
    params: object,
    accept: (result: unknown) => T,
    options?: HostCallOptions,
  ): Promise<T>;
  /**
   * Sends a prompt. It has no time limit and does not count as a waiting call. Exactly one of the two
   * callbacks runs, in wire order; `fail` also gets anything that `accept` throws. The signal withdraws
   * the prompt.
   */
  prompt(
    params: unknown,
    accept: (result: unknown) => void,
    fail: (error: unknown) => void,
    signal: AbortSignal,
  ): void;
  /** Sends a notification. Not awaiting it is safe. */
  notify(method: string, params: unknown): Promise<void>;
  /** Pauses or resumes the limits of all calls; they are paused while the user is asked. Pauses nest. */
  pauseCallLimits(paused: boolean): void;
  /** Forgets the session and ends what it has open on this side. */
  forget(session: HostedSession): Promise<void>;
  /** The agent ignored the cancel of a turn. Closes the connection if `onCancelIgnored` says so. */
  cancelIgnored(session: HostedSession): boolean;
}
