import { type AuthMethod, PROTOCOL_VERSION } from "../acp/index.ts";
import type { RemoteError } from "../rpc/index.ts";
import { describeExit, type ExitStatus } from "../wire/index.ts";

export type ClientErrorCode =
  | "start_failed"
  | "unsupported_version"
  | "not_supported"
  | "invalid_argument"
  | "unknown_session"
  | "session_closed"
  | "session_open"
  | "busy"
  | "auth_required"
  | "login_failed"
  | "timeout"
  | "cancel_ignored"
  | "updates_lost"
  | "already_read";

/**
 * A failure that arose on this side. `code` tells which; failures of the other side are `RemoteError`
 * (it answered with an error), `ProtocolViolation` (its answer is malformed) and `ConnectionError`
 * (it is gone).
 */
export class ClientError extends Error {
  override readonly name: string = "ClientError";
  readonly code: ClientErrorCode;

  constructor(code: ClientErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/**
 * An agent could not be started or did not get through `initialize`. The cause is a `SpawnError`,
 * `ConnectionError`, `RemoteError`, `ProtocolViolation`, `TimeoutError` or `UnsupportedVersionError`.
 */
export class StartError extends ClientError {
  override readonly name = "StartError";

  constructor(cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause);
    super("start_failed", `the agent could not be started: ${why}`, { cause });
  }
}

/** The agent speaks no version of the protocol that is spoken here. */
export class UnsupportedVersionError extends ClientError {
  override readonly name = "UnsupportedVersionError";
  readonly spoken = PROTOCOL_VERSION;
  readonly offered: number;

  constructor(offered: number) {
    super(
      "unsupported_version",
      `the agent speaks version ${offered} of the protocol; this client speaks version ${PROTOCOL_VERSION}`,
    );
    this.offered = offered;
  }
}

/** A call, or a part of it, that the agent did not advertise. Nothing was sent. */
export class CapabilityError extends ClientError {
  override readonly name = "CapabilityError";
  /** The path of the missing capability, e.g. `sessionCapabilities.list`. */
  readonly capability: string;

  constructor(what: string, capability: string) {
    super("not_supported", `${what}: the agent does not advertise "${capability}"`);
    this.capability = capability;
  }
}

/** An argument that cannot be right, such as a relative folder. Nothing was sent. */
export class InvalidArgumentError extends ClientError {
  override readonly name = "InvalidArgumentError";

  constructor(message: string) {
    super("invalid_argument", message);
  }
}

/** The session is unknown to this client, closed, or open already. */
export class SessionError extends ClientError {
  override readonly name = "SessionError";
  readonly sessionId: string;

  constructor(
    code: "unknown_session" | "session_closed" | "session_open",
    sessionId: string,
    options?: ErrorOptions,
  ) {
    super(code, SESSION_MESSAGES[code](sessionId), options);
    this.sessionId = sessionId;
  }
}

const SESSION_MESSAGES = {
  unknown_session: (id: string) => `there is no open session "${id}" on this client`,
  session_closed: (id: string) => `the session "${id}" is closed`,
  session_open: (id: string) => `the session "${id}" is open on this client already`,
} as const;

/** A prompt was sent while another turn runs in the session. */
export class BusyError extends ClientError {
  override readonly name = "BusyError";
  readonly sessionId: string;

  constructor(sessionId: string) {
    super("busy", `a turn is running in the session "${sessionId}"`);
    this.sessionId = sessionId;
  }
}

/** The agent wants its user signed in first. `methods` are the ways it offers. */
export class AuthRequiredError extends ClientError {
  override readonly name = "AuthRequiredError";
  readonly methods: readonly AuthMethod[];
  override readonly cause: RemoteError;

  constructor(cause: RemoteError, methods: readonly AuthMethod[]) {
    const offered = methods.map(({ id }) => id).join(", ");
    super(
      "auth_required",
      `the agent asks for a login: ${cause.message}${offered === "" ? "" : ` (it offers: ${offered})`}`,
    );
    this.cause = cause;
    this.methods = methods;
  }
}

/** A login in the terminal ended without success. */
export class LoginError extends ClientError {
  override readonly name = "LoginError";
  readonly exit: ExitStatus;

  constructor(methodId: string, exit: ExitStatus) {
    super("login_failed", `the login "${methodId}" failed: the command ${describeExit(exit)}`);
    this.exit = exit;
  }
}

/** Which limit ran out: see `Timeouts`. */
export type TimeoutKind = "start" | "request" | "turnIdle" | "turn";

/** Something took longer than its limit. The agent was asked to cancel it. */
export class TimeoutError extends ClientError {
  override readonly name = "TimeoutError";
  readonly limit: TimeoutKind;
  readonly ms: number;

  constructor(limit: TimeoutKind, ms: number, method: string) {
    super("timeout", `${method}: ${TIMEOUT_WORDS[limit]} within ${ms} ms`);
    this.limit = limit;
    this.ms = ms;
  }
}

const TIMEOUT_WORDS: Record<TimeoutKind, string> = {
  start: "the agent was not ready",
  request: "the agent did not answer",
  turnIdle: "the agent sent nothing",
  turn: "the turn did not end",
};

/** The agent was asked to cancel a turn and did not end it within the grace period. */
export class CancelIgnoredError extends ClientError {
  override readonly name = "CancelIgnoredError";
  readonly ms: number;

  constructor(ms: number, options?: ErrorOptions) {
    super("cancel_ignored", `the agent did not end the cancelled turn within ${ms} ms`, options);
    this.ms = ms;
  }
}

/** Updates came faster than they were read and could not be kept. `count` of them are missing. */
export class UpdatesLostError extends ClientError {
  override readonly name = "UpdatesLostError";
  readonly count: number;

  constructor(count: number) {
    super("updates_lost", `${count} updates came while nobody read and could not be kept`);
    this.count = count;
  }
}

/** A turn is read once, by one loop or by one `text()`. */
export class AlreadyReadError extends ClientError {
  override readonly name = "AlreadyReadError";

  constructor() {
    super(
      "already_read",
      "the turn is being read already; use session.updates() for a second reader",
    );
  }
}
