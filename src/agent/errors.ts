import { DragomanError } from "../base/index.ts";
import {
  type ClientCapability,
  ERROR_CODES,
  type Fault,
  isUnstableCapability,
  type Meta,
} from "../protocol/acp/index.ts";
import { RemoteError, RpcError } from "../transport/rpc/index.ts";

/** A helper needs a capability that the client did not advertise. Check `client.can(capability)` first. */
export class UnsupportedByClientError extends DragomanError {
  override readonly name = "UnsupportedByClientError";
  /** The capability that the client lacks. */
  readonly capability: ClientCapability;

  constructor(capability: ClientCapability) {
    const orSwitch = isUnstableCapability(capability)
      ? ", or the agent is not defined with unstable: true"
      : "";
    super("unsupported", `the client does not advertise ${capability}${orSwitch}`);
    this.capability = capability;
  }
}

/** The turn was cancelled while its code was running. Let it propagate: the toolkit answers `cancelled`. */
export class TurnCancelledError extends DragomanError {
  override readonly name = "TurnCancelledError";
  /** The `_meta` of the client's `session/cancel`, in the reason of `turn.signal`. */
  readonly meta: Meta | undefined;

  /** Creates the error; `options.cause` says why the turn was cancelled. */
  constructor(options?: ErrorOptions & { readonly meta?: Meta | undefined }) {
    super("cancelled", "the turn was cancelled", options);
    this.meta = options?.meta;
  }
}

/** A turn's helper was used after the turn had ended. */
export class TurnEndedError extends DragomanError {
  override readonly name = "TurnEndedError";

  constructor() {
    super("closed", "the turn has ended; send further updates through the session");
  }
}

/** An update was sent to a closed session. */
export class SessionClosedError extends DragomanError {
  override readonly name = "SessionClosedError";
  readonly sessionId: string;

  constructor(sessionId: string) {
    super("closed", `session ${sessionId} is closed`);
    this.sessionId = sessionId;
  }
}

/**
 * The agent sent more without awaiting than the toolkit buffers for a slow client. Await `say`,
 * `update` and the like: their promises resolve at the client's pace.
 */
export class BacklogError extends DragomanError {
  override readonly name = "BacklogError";

  /** Describes a limit, in characters, that was exceeded. */
  constructor(limit: number) {
    super(
      "limit_exceeded",
      `the client has more than ${limit} characters left to read; await each update`,
    );
  }
}

/** The error "sign in first" (-32000), for any handler to throw. */
export function authRequired(message = "Authentication required"): RpcError {
  return new RpcError(ERROR_CODES.authRequired, message);
}

/** The error "no such session" (-32002), for any handler to throw. */
export function sessionNotFound(sessionId: string): RpcError {
  return new RpcError(ERROR_CODES.resourceNotFound, "Session not found", { sessionId });
}

/**
 * The error "invalid params" (-32602). Its message lists the faults, for clients that show only the
 * message, and `data.errors` has each of them.
 */
export function invalidParams(...errors: readonly Fault[]): RpcError {
  const faults = errors.map(({ path, message }) => `${path} ${message}`.trim()).join("; ");
  const message = faults === "" ? "Invalid params" : `Invalid params: ${faults}`;
  return new RpcError(ERROR_CODES.invalidParams, message, { errors });
}

/** The error "invalid params" for a value that is not one of those allowed. */
export function notOneOf(path: string, allowed: readonly string[]): RpcError {
  return invalidParams({ path, message: mustBeOneOf(allowed) });
}

export function mustBeOneOf(allowed: readonly string[]): string {
  return `must be one of ${allowed.map((value) => `"${value}"`).join(", ")}`;
}

/** The error "not now" (-32600): the state of the connection does not allow the request. */
export function invalidRequest(message: string, data?: unknown): RpcError {
  return new RpcError(ERROR_CODES.invalidRequest, message, data);
}

/**
 * The error to answer with when the author's code throws. An error that came from the client must
 * not go back as the answer to the client's own request: a -32601 for a file would read as "there is
 * no session/prompt".
 */
export function answerable(error: unknown): unknown {
  if (!(error instanceof RemoteError)) return error;
  const { method, rpcCode, message } = error;
  const details = `the client answered ${method ?? "a request"} with ${rpcCode}: ${message}`;
  return new RpcError(ERROR_CODES.internalError, "Internal error", { details });
}
