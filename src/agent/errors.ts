import { type ClientCapability, ERROR_CODES, type Fault } from "../acp/index.ts";
import { RemoteError, RpcError } from "../rpc/index.ts";

/** A helper was used that this client did not advertise. Ask `client.can(capability)` beforehand. */
export class UnsupportedByClientError extends Error {
  override readonly name = "UnsupportedByClientError";
  readonly code = "unsupported_by_client";
  readonly capability: ClientCapability;

  constructor(capability: ClientCapability) {
    super(`the client does not offer ${capability}`);
    this.capability = capability;
  }
}

/** The turn was cancelled while its code still worked. Let it pass: the toolkit answers `cancelled`. */
export class TurnCancelledError extends Error {
  override readonly name = "TurnCancelledError";
  readonly code = "turn_cancelled";

  constructor(options?: ErrorOptions) {
    super("the turn was cancelled", options);
  }
}

/** A helper of a turn was used after the turn had been answered. */
export class TurnEndedError extends Error {
  override readonly name = "TurnEndedError";
  readonly code = "turn_ended";

  constructor() {
    super("the turn has ended; send further updates through its session");
  }
}

/** An update was sent for a session that is closed. */
export class SessionClosedError extends Error {
  override readonly name = "SessionClosedError";
  readonly code = "session_closed";
  readonly sessionId: string;

  constructor(sessionId: string) {
    super(`the session ${sessionId} is closed`);
    this.sessionId = sessionId;
  }
}

/**
 * More was sent without awaiting than the toolkit keeps for a client that reads slowly. Await
 * `say`, `update` and the like: their promises are the client's pace.
 */
export class BacklogError extends Error {
  override readonly name = "BacklogError";
  readonly code = "backlog";

  constructor(limit: number) {
    super(`more than ${limit} characters wait to be read by the client; await each update`);
  }
}

/** The answer "sign in first" (-32000), to be thrown by any handler. */
export function authRequired(message = "Authentication required"): RpcError {
  return new RpcError(ERROR_CODES.authRequired, message);
}

/** The answer "no such session" (-32002), to be thrown by any handler. */
export function sessionNotFound(sessionId: string): RpcError {
  return new RpcError(ERROR_CODES.resourceNotFound, "Session not found", { sessionId });
}

/**
 * The answer "invalid params" (-32602). The faults stand in its message, for clients that show no
 * more than that, and each under `data.errors`.
 */
export function invalidParams(...errors: readonly Fault[]): RpcError {
  const faults = errors.map(({ path, message }) => `${path} ${message}`.trim()).join("; ");
  const message = faults === "" ? "Invalid params" : `Invalid params: ${faults}`;
  return new RpcError(ERROR_CODES.invalidParams, message, { errors });
}

/** The answer "not now" (-32600): the request is one the state of the connection does not allow. */
export function invalidRequest(message: string, data?: unknown): RpcError {
  return new RpcError(ERROR_CODES.invalidRequest, message, data);
}

/**
 * What a failure of the author's code is answered with. An error the client itself gave as the
 * answer to a question must not come back as the answer to its own request: a -32601 for a file
 * would read as "there is no session/prompt".
 */
export function answerable(error: unknown): unknown {
  if (!(error instanceof RemoteError)) return error;
  const { method, code, message } = error;
  const details = `${method ?? "a request"} was answered with ${code}: ${message}`;
  return new RpcError(ERROR_CODES.internalError, "Internal error", { details });
}
