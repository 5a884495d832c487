import { type AuthMethod, PROTOCOL_VERSION, type PromptResult } from "../protocol/acp/index.ts";
import type { RemoteError } from "../transport/rpc/index.ts";
import { lastLines } from "../transport/wire/index.ts";
import { messageOf, describeExit, type ExitStatus } from "../base/index.ts";

/** The kind of failure on this side. */
export type ClientErrorCode =
  | "start_failed"
  | "not_an_agent"
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
  | "already_read"
  | "turn_incomplete";

/**
 * A failure on this side; `code` identifies it. Failures of the agent are `RemoteError` (it answered
 * with an error), `ProtocolViolation` (its answer is malformed) and `ConnectionError` (the connection
 * is gone).
 */
export class ClientError extends Error {
  override readonly name: string = "ClientError";
  readonly code: ClientErrorCode;

  /** Creates an error; `options.cause` keeps the error behind it. */
  constructor(code: ClientErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/**
 * An agent did not start or failed in `initialize`. The cause is a `SpawnError`, `ConnectionError`,
 * `RemoteError`, `ProtocolViolation`, `TimeoutError`, `UnsupportedVersionError` or `NotAnAgentError`.
 *
 * Lines on stdout that are not messages are ignored, because agents print banners and logs there. But if
 * such a line is followed by silence for a quarter of the start limit (15 s by default), and no message
 * has ever arrived, the start fails with NotAnAgentError without waiting for the rest of the limit. A
 * longer `timeouts` allows a longer silence; without a start limit, any silence is allowed.
 */
export class StartError extends ClientError {
  override readonly name = "StartError";
  /**
   * The last lines on stdout that are not messages, at most 20, cut at 500 characters; empty if there
   * were none. Control characters are replaced.
   */
  readonly stdout: string;

  constructor(cause: unknown, stdout = "") {
    const why = `${messageOf(cause)}${lastLines(stdout, "stdout")}`;
    super("start_failed", `could not start the agent: ${why}`, { cause });
    this.stdout = stdout;
  }
}

/** A program printed text instead of protocol messages and then stayed silent; see `StartError`. */
export class NotAnAgentError extends ClientError {
  override readonly name = "NotAnAgentError";
  /** How long it was silent, in milliseconds. */
  readonly ms: number;

  constructor(ms: number) {
    const what = "the program does not speak the protocol: it printed other text and then nothing";
    super("not_an_agent", `${what} for ${ms} ms; check the command and its arguments`);
    this.ms = ms;
  }
}

/** The agent and this client have no protocol version in common. */
export class UnsupportedVersionError extends ClientError {
  override readonly name = "UnsupportedVersionError";
  /** The version of the protocol that this client wanted, or `newest`. */
  readonly spoken: number | "newest";
  /** The newest version that the agent offered. */
  readonly offered: number;

  constructor(offered: number, spoken: number | "newest" = PROTOCOL_VERSION, cause?: Error) {
    const wanted = spoken === "newest" ? "versions 1 and 2" : `version ${spoken}`;
    super(
      "unsupported_version",
      `the agent speaks version ${offered} of the protocol; this client speaks ${wanted}`,
      cause && { cause },
    );
    this.offered = offered;
    this.spoken = spoken;
  }
}

/** A call, or part of one, needs a capability that the agent does not advertise. Nothing was sent. */
export class CapabilityError extends ClientError {
  override readonly name = "CapabilityError";
  /** The path of the missing capability, e.g. `sessionCapabilities.list`. */
  readonly capability: string;

  /** Describes a call that needs a capability. `why` says why it cannot be used. */
  constructor(
    what: string,
    capability: string,
    why = `the agent does not advertise "${capability}"`,
  ) {
    super("not_supported", `${what}: ${why}`);
    this.capability = capability;
  }
}

/** An argument is invalid, such as a relative path. Nothing was sent. */
export class InvalidArgumentError extends ClientError {
  override readonly name = "InvalidArgumentError";

  constructor(message: string) {
    super("invalid_argument", message);
  }
}

/** The session is unknown to this client, closed, or already open. */
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
  session_open: (id: string) => `the session "${id}" is already open on this client`,
} as const;

/** A prompt was sent while another turn was running in the session. */
export class BusyError extends ClientError {
  override readonly name = "BusyError";
  readonly sessionId: string;

  constructor(sessionId: string) {
    super("busy", `a turn is already running in the session "${sessionId}"`);
    this.sessionId = sessionId;
  }
}

/** The agent needs a login first. `methods` lists the logins it offers. */
export class AuthRequiredError extends ClientError {
  override readonly name = "AuthRequiredError";
  /** The logins that the agent offers. */
  readonly methods: readonly AuthMethod[];
  /** The agent's own error. */
  override readonly cause: RemoteError;

  constructor(cause: RemoteError, methods: readonly AuthMethod[]) {
    const offered = methods.map(({ id }) => id).join(", ");
    super(
      "auth_required",
      `the agent requires a login: ${cause.message}${offered === "" ? "" : ` (it offers: ${offered})`}`,
    );
    this.cause = cause;
    this.methods = methods;
  }
}

/** The command of a terminal login failed. */
export class LoginError extends ClientError {
  override readonly name = "LoginError";
  /** How the command ended. */
  readonly exit: ExitStatus;

  constructor(methodId: string, exit: ExitStatus) {
    super("login_failed", `the login "${methodId}" failed: the command ${describeExit(exit)}`);
    this.exit = exit;
  }
}

/** The limit that was exceeded; see `Timeouts`. */
export type TimeoutKind = "start" | "request" | "turnIdle" | "turn";

/** Something took longer than its limit. The agent was asked to cancel it. */
export class TimeoutError extends ClientError {
  override readonly name = "TimeoutError";
  /** The limit that was exceeded. */
  readonly limit: TimeoutKind;
  /** The limit, in milliseconds. */
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
  /** The grace period, in milliseconds. */
  readonly ms: number;

  constructor(ms: number, options?: ErrorOptions) {
    super("cancel_ignored", `the agent did not end the cancelled turn within ${ms} ms`, options);
    this.ms = ms;
  }
}

/** Updates arrived faster than they were read. `count` of them were dropped. */
export class UpdatesLostError extends ClientError {
  override readonly name = "UpdatesLostError";
  /** How many updates were dropped. */
  readonly count: number;

  constructor(count: number) {
    super("updates_lost", `${count} updates were lost because they were not read in time`);
    this.count = count;
  }
}

/** The turn already has a reader. It can be read only once, by one loop or one `text()`. */
export class AlreadyReadError extends ClientError {
  override readonly name = "AlreadyReadError";

  constructor() {
    super("already_read", "the turn already has a reader; use session.updates() for a second one");
  }
}

/** A turn ended without the answer that it had to give, for example because it was cancelled. */
export class TurnIncompleteError extends ClientError {
  override readonly name = "TurnIncompleteError";
  /** How the turn ended. */
  readonly result: PromptResult;

  constructor(result: PromptResult) {
    super("turn_incomplete", `the turn gave no answer, it ended with "${result.stopReason}"`);
    this.result = result;
  }
}
