import type { ClientCapabilities, ToolCallPatch, ToolCallState } from "../../acp/index.ts";
import type { RequestContext } from "../../rpc/index.ts";

/** What the gate needs to know of a session. */
export interface GateSession {
  readonly id: string;
  /** `cwd` first, then the additional directories; all absolute. */
  readonly roots: readonly string[];
  /** All that is known of a tool call so far. */
  toolCall(id: string): ToolCallState | undefined;
  /** Merges what a permission request says of its tool call into what is known. */
  noteToolCall(patch: ToolCallPatch): void;
  /**
   * Aborted when the running turn is cancelled, and when the session or the connection closes: every
   * open question is answered `cancelled` then. Outside a turn it lasts until the next one is cancelled.
   */
  readonly turnSignal: AbortSignal;
  /**
   * Runs work during which a person is being asked: the turn's state is `waiting_permission`, and its
   * timers stand still.
   */
  asking<T>(work: () => Promise<T>): Promise<T>;
}

/** Finds the session a request names. */
export type FindSession = (id: string) => GateSession | undefined;

/** Answers what agents ask of a client. Everything an agent can reach on this side stands behind it. */
export interface GateLike {
  /** What `initialize` advertises: exactly what this gate answers. */
  readonly capabilities: ClientCapabilities;
  /** Answers a request, or throws an RpcError. Called in wire order, not awaited before the next. */
  request(
    method: string,
    params: unknown,
    context: RequestContext,
    session: FindSession,
  ): Promise<unknown>;
  /** Takes a notification other than `session/update`; false if it does not know it. */
  notification(method: string, params: unknown): boolean;
  /**
   * Remembers where the session's roots really stand. To be called before the agent can act on the
   * session; without it the first request that names a path does it.
   */
  openSession?(session: GateSession): Promise<void>;
  /** Ends what the session still has open, its terminals above all. */
  closeSession(id: string): Promise<void>;
  /** Ends everything. */
  close(): Promise<void>;
}
