import { type AuthMethod, PROTOCOL_VERSION } from "../protocol/acp/index.ts";
import type { RemoteError } from "../transport/rpc/index.ts";
import {
  DragomanError,
  type ErrorCode,
  messageOf,
  describeExit,
  type ExitStatus,
} from "../base/index.ts";
import { lastLines } from "../transport/wire/index.ts";

/**
 * An agent did not start or failed in `initialize`. The cause is a `SpawnError`, `ConnectionError`,
 * `RemoteError`, `ProtocolViolation`, `TimeoutError`, `UnsupportedVersionError` or `NotAnAgentError`.
 *
 * Lines on stdout that are not messages are ignored, because agents print banners and logs there. But if
 * such a line is followed by silence for a quarter of the start limit (15 s by default), and no message
 * has ever arrived, the start fails with NotAnAgentError without waiting for the rest of the limit. A
 * longer `timeouts` allows a longer silence; without a start limit, any silence is allowed.
 */
export class StartError extends DragomanError {
  override readonly name = "StartError";
  /**
   * The last lines on stdout that are not messages, at most 20, cut at 500 characters; empty if there
   * were none. Control characters are replaced.
   */
  readonly stdout: string;

  constructor(cause: unknown, stdout = "") {
    const why = `${messageOf(cause)}${lastLines(stdout, "stdout")}`;
    super(codeOf(cause), `could not start the agent: ${why}`, { cause });
    this.stdout = stdout;
  }
}

/** A missing or wrong login is the code of the whole failure, however deep it lies. */
function codeOf(cause: unknown): ErrorCode {
  for (let error = cause; error instanceof Error; error = error.cause) {
    if (error instanceof DragomanError && error.code === "auth_required") return error.code;
  }
  return "start_failed";
}

/** A program printed text instead of protocol messages and then stayed silent; see `StartError`. */
export class NotAnAgentError extends DragomanError {
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
export class UnsupportedVersionError extends DragomanError {
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
export class CapabilityError extends DragomanError {
  override readonly name = "CapabilityError";
  /** The path of the missing capability, e.g. `sessionCapabilities.list`. */
  readonly capability: string;

  /** Describes a call that needs a capability. `why` says why it cannot be used. */
  constructor(
    what: string,
    capability: string,
    why = `the agent does not advertise "${capability}"`,
  ) {
    super("unsupported", `${what}: ${why}`);
    this.capability = capability;
  }
}

/** An argument is invalid, such as a relative path. Nothing was sent. */
export class InvalidArgumentError extends DragomanError {
  override readonly name = "InvalidArgumentError";

  constructor(message: string) {
    super("invalid_argument", message);
  }
}

/** The session is unknown to this client, closed, or already open. */
export class SessionError extends DragomanError {
  override readonly name = "SessionError";
  readonly sessionId: string;

  constructor(
    code: "session_not_found" | "closed" | "session_open",
    sessionId: string,
    options?: ErrorOptions,
  ) {
    super(code, SESSION_MESSAGES[code](sessionId), options);
    this.sessionId = sessionId;
  }
}

const SESSION_MESSAGES = {
  session_not_found: (id: string) => `there is no open session "${id}" on this client`,
  closed: (id: string) => `the session "${id}" is closed`,
  session_open: (id: string) => `the session "${id}" is already open on this client`,
} as const;

/** A prompt was sent while another turn was running in the session. */
export class BusyError extends DragomanError {
  override readonly name = "BusyError";
  readonly sessionId: string;

  constructor(sessionId: string) {
    super("busy", `a turn is already running in the session "${sessionId}"`);
    this.sessionId = sessionId;
  }
}

/** The agent needs a login first. `methods` lists the logins it offers. */
export class AuthRequiredError extends DragomanError {
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
export class LoginError extends DragomanError {
  override readonly name = "LoginError";
  /** How the command ended. */
  readonly exit: ExitStatus;

  constructor(methodId: string, exit: ExitStatus) {
    super("login_failed", `the login "${methodId}" failed: the command ${describeExit(exit)}`);
    this.exit = exit;
  }
}

/** The option that sets a limit: one of `Timeouts`, or `timeoutMs` of one prompt. */
export type TimeoutKind = "startMs" | "requestMs" | "turnIdleMs" | "turnMs" | "timeoutMs";

/**
 * Something took longer than its limit. The agent was asked to cancel it. If it ignored that,
 * `cause` is the CancelIgnoredError.
 */
export class TimeoutError extends DragomanError {
  override readonly name = "TimeoutError";
  /** The option that sets the limit. */
  readonly limit: TimeoutKind;
  /** The limit, in milliseconds. */
  readonly ms: number;

  constructor(limit: TimeoutKind, ms: number, method: string, options?: ErrorOptions) {
    super("timeout", `${method}: ${TIMEOUT_WORDS[limit]} within ${ms} ms`, options);
    this.limit = limit;
    this.ms = ms;
  }
}

const TIMEOUT_WORDS: Record<TimeoutKind, string> = {
  startMs: "the agent was not ready",
  requestMs: "the agent did not answer",
  turnIdleMs: "the agent sent nothing",
  turnMs: "the turn did not end",
  timeoutMs: "the turn did not end",
};

/** The agent was asked to cancel a turn and did not end it within the grace period. */
export class CancelIgnoredError extends DragomanError {
  override readonly name = "CancelIgnoredError";
  /** The grace period, in milliseconds. */
  readonly ms: number;

  constructor(ms: number, options?: ErrorOptions) {
    super("cancel_ignored", `the agent did not end the cancelled turn within ${ms} ms`, options);
    this.ms = ms;
  }
}

/** Updates arrived faster than they were read. `count` of them were dropped. */
export class UpdatesLostError extends DragomanError {
  override readonly name = "UpdatesLostError";
  /** How many updates were dropped. */
  readonly count: number;

  constructor(count: number) {
    super("updates_lost", `${count} updates were lost because they were not read in time`);
    this.count = count;
  }
}

/** The turn already has a reader. It can be read only once, by one loop or one `text()`. */
export class AlreadyReadError extends DragomanError {
  override readonly name = "AlreadyReadError";

  constructor() {
    super("already_read", "the turn already has a reader; use session.updates() for a second one");
  }
}
