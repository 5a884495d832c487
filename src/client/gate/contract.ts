import type { ClientCapabilities, ToolCallPatch, ToolCallState } from "../../protocol/acp/index.ts";
import type { RequestContext } from "../../transport/rpc/index.ts";
import type { SessionAccess, SessionGateOptions } from "./access.ts";

/** The part of a session that the gate needs. */
export interface GateSession {
  readonly id: string;
  /** `cwd` first, then the additional directories. All are absolute. */
  readonly roots: readonly string[];
  /** The access of the session, from `GateLike.access`. */
  readonly access: SessionAccess;
  /** Everything known about a tool call so far. */
  toolCall(id: string): ToolCallState | undefined;
  /** Merges the tool call of a permission request into its known state. */
  noteToolCall(patch: ToolCallPatch): void;
  /**
   * Aborted when the running turn is cancelled, and when the session or the connection closes. Every
   * open question is then answered with `cancelled`. A signal taken outside a turn is aborted when the
   * next turn is cancelled.
   */
  readonly turnSignal: AbortSignal;
  /**
   * The signal for a question about the tool calls or terminals with these ids: `turnSignal`, unless one
   * of them goes on in the background, which a cancelled turn does not end.
   */
  signalFor(ids: readonly unknown[]): AbortSignal;
  /**
   * Runs work that asks a person. Meanwhile the turn is in the state `waiting_permission` and its
   * timers are paused.
   */
  asking<T>(work: () => Promise<T>): Promise<T>;
}

/** Finds the session that a request names. */
export type FindSession = (id: string) => GateSession | undefined;

/** Answers the requests that agents send to a client. Agents reach this side only through it. */
export interface GateLike {
  /** The capabilities that `initialize` advertises: exactly the methods this gate answers. */
  readonly capabilities: ClientCapabilities;
  /** Answers a request, or rejects with RpcError. Calls come in wire order and may overlap. */
  request(
    method: string,
    params: unknown,
    context: RequestContext,
    session: FindSession,
  ): Promise<unknown>;
  /** Handles a notification other than `session/update`. Returns false if the method is unknown. */
  notification(method: string, params: unknown): boolean;
  /**
   * The access of a session with these roots and options. Throws InvalidArgumentError for options that
   * this connection cannot honour. Pin its workspace before the agent learns the roots.
   */
  access(roots: readonly string[], options?: SessionGateOptions): SessionAccess;
  /** Ends everything the session still has open, above all its terminals. */
  closeSession(id: string): Promise<void>;
  /** Ends everything. */
  close(): Promise<void>;
}
