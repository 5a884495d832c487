import type { Logger } from "../../base/index.ts";
import type { Envelope, Rewriter } from "./messages.ts";
import type { RemoteError } from "./errors.ts";
import type { RequestContext } from "./inbound.ts";
import type { RequestLimits } from "./request-load.ts";

export interface PeerHandlers {
  /**
   * Answers a request. Called in wire order, without waiting for earlier responses. If it throws, the
   * other side gets an error response: an RpcError unchanged, anything else as an internal error.
   */
  request?(method: string, params: unknown, context: RequestContext): unknown;
  /** Handles a notification, in wire order. `size`: the length of its line. Errors are logged. */
  notification?(method: string, params: unknown, size: number): void;
  /** Called with an error response that names no call (`id: null`). */
  orphanError?(error: RemoteError): void;
}

export interface PeerOptions {
  readonly handlers?: PeerHandlers;
  readonly envelope?: Envelope;
  readonly rewriter?: Rewriter;
  readonly logger?: Logger | undefined;
  /**
   * The reaction to a line that is not a message. A client ignores it, because agents print stray
   * output. An agent answers it with an error, as JSON-RPC requires. Default: `ignore`.
   */
  readonly malformed?: "ignore" | "answer";
  /** How many requests of the other side may be unanswered. Tests lower the limits. */
  readonly requestLimits?: Partial<RequestLimits>;
  /**
   * How many sent characters may be unread before reading is held. Default: 64 MiB, because an agent
   * that writes blockingly may ask for many files before it reads the first.
   */
  readonly holdAboveUnread?: number;
}

export interface PeerStats {
  /** Lines, or parts of lines, that were not messages. */
  noise: number;
  /** Responses to unknown calls, or to calls that had already settled. */
  strayResponses: number;
}
