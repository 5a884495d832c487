import type { ExitStatus } from "../base/index.ts";
import { type CloseReason, describeClose } from "../transport/wire/index.ts";
import type { DroidVersion } from "./protocol/versions.ts";

/** The kind of error. The classes below add the details of each kind. */
export type DroidErrorCode =
  | "executable_not_found"
  | "start_failed"
  | "invalid_argument"
  | "unsupported"
  | "exited"
  | "request_failed"
  | "login_required"
  | "session_not_found"
  | "delete_failed"
  | "closed"
  | "busy"
  | "aborted"
  | "updates_lost"
  | "turn_failed";

/** The base class of every Droid error; `code` is its kind. */
export class DroidError extends Error {
  override readonly name: string = "DroidError";
  readonly code: DroidErrorCode;

  /** Creates an error; `options.cause` keeps the error behind it. */
  constructor(code: DroidErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** No Droid executable was found. `tried` lists each path that was tried, in order. */
export class DroidNotFoundError extends DroidError {
  override readonly name = "DroidNotFoundError";
  /** Each path that was tried, in order. */
  readonly tried: readonly string[];

  constructor(tried: readonly string[]) {
    super(
      "executable_not_found",
      `Droid was not found. Install it, or set its path with the option "executable" or the environment variable DROID_EXECUTABLE. Tried:\n${tried.map((path) => `  ${path}`).join("\n")}`,
    );
    this.tried = tried;
  }
}

/** This version of Droid does not support the requested method or feature. */
export class UnsupportedByDroidError extends DroidError {
  override readonly name = "UnsupportedByDroidError";
  /** The method or feature. */
  readonly feature: string;
  readonly version: DroidVersion;

  constructor(feature: string, version: DroidVersion, options?: ErrorOptions) {
    const { cli, protocol } = version;
    super(
      "unsupported",
      `this Droid does not support ${feature} (version ${cli ?? "unknown"}, protocol ${protocol ?? "unknown"})`,
      options,
    );
    this.feature = feature;
    this.version = version;
  }
}

/** Droid exited, was killed, or its pipes failed. Every pending call and turn rejects with this error. */
export class DroidExitedError extends DroidError {
  override readonly name = "DroidExitedError";
  /** How the connection ended. */
  readonly reason: CloseReason;
  /** Undefined if it is not known yet, or if the connection failed before the process ended. */
  readonly exit: ExitStatus | undefined;
  /** The end of the process's stderr; empty if there was none. */
  readonly stderr: string;
  /** The pending operation: a method name, `turn` or `updates`. */
  readonly during: string;

  constructor(reason: CloseReason, during: string) {
    super(
      reason.kind === "closed" ? "closed" : "exited",
      `the connection to Droid ended (during ${during}): ${describeClose(reason)}`,
      reason.kind === "failed" ? { cause: reason.error } : undefined,
    );
    this.reason = reason;
    this.exit = "exit" in reason ? reason.exit : undefined;
    this.stderr = ("stderr" in reason ? reason.stderr : undefined) ?? "";
    this.during = during;
  }
}

/** A prompt was sent while another turn runs, and its `whenBusy` is not `wait`. */
export class DroidBusyError extends DroidError {
  override readonly name = "DroidBusyError";
  readonly sessionId: string;

  constructor(sessionId: string) {
    super(
      "busy",
      `session ${sessionId} is busy with another turn; wait for it, cancel it, or prompt with whenBusy "wait"`,
    );
    this.sessionId = sessionId;
  }
}

/** Droid answered a request with this error. */
export class DroidRequestError extends DroidError {
  override readonly name = "DroidRequestError";
  /** The method that was called, by its name in the protocol. */
  readonly method: string;
  /** The JSON-RPC error code that Droid sent. */
  readonly rpcCode: number;
  /** The data that Droid sent with the error; undefined if there was none. */
  readonly data: unknown;

  constructor(
    method: string,
    error: { readonly code: number; readonly message: string; readonly data?: unknown },
  ) {
    const { code, message, data } = error;
    super(requestErrorCode(code, message), `${method}: ${message} (${code})`, { cause: error });
    this.method = method;
    this.rpcCode = code;
    this.data = data;
  }
}

/** Droid's own error code, the same in every version. */
const SESSION_NOT_FOUND = -32004;

/** Droid has no code for a missing login: every version reports it only in the text of error -32603. */
const LOGIN_MISSING = /access token|not logged in|authenticat/i;

function requestErrorCode(code: number, message: string): DroidErrorCode {
  if (code === SESSION_NOT_FOUND) return "session_not_found";
  return LOGIN_MISSING.test(message) ? "login_required" : "request_failed";
}
