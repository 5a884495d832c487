/** The kinds of failures of a fleet. */
export type FleetErrorCode =
  /** Another owner has appended to the session's log, so this one lost the session. */
  | "fenced"
  /** A limit of the fleet is reached. The same call may succeed later. */
  | "try_later"
  /** The engine did not confirm the call within its retry budget. It may have been carried out. */
  | "unavailable"
  /** No host answers for the session or under this name. The call was not carried out. */
  | "no_owner"
  /** The host did not answer a call in time. It may have been carried out. */
  | "call_timeout"
  /** The host answered a call with an error. */
  | "call_failed"
  /** A value that an entry refers to is gone. */
  | "missing_value"
  /** A package that the engine needs is not installed. The message has the command that installs it. */
  | "missing_package"
  /** The engine could not connect. */
  | "cannot_connect"
  /** The credentials of this process do not allow the call. */
  | "not_allowed"
  /** The engine or the worker was closed. */
  | "closed"
  /** A record of the fleet cannot be read, or a request to it is not valid. */
  | "invalid";

/** A call to a fleet failed. */
export class FleetError extends Error {
  override readonly name = "FleetError";
  readonly code: FleetErrorCode;

  /** `message` says what failed, why, and what to do. */
  constructor(code: FleetErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export function isFleetError(error: unknown, code: FleetErrorCode): error is FleetError {
  return error instanceof FleetError && error.code === code;
}

export function fenced(session: string): FleetError {
  const message = `the session ${session} has another owner now, so nothing more can be appended`;
  return new FleetError("fenced", message);
}

export function closedError(what: string): FleetError {
  return new FleetError("closed", `${what} is closed`);
}

export function noHost(host: string): FleetError {
  return new FleetError("no_owner", `no process answers for the host ${host}`);
}

export function callTimeout(host: string, timeoutMs: number): FleetError {
  const message = `the host ${host} did not answer within ${timeoutMs} ms; it may have done the work`;
  return new FleetError("call_timeout", message);
}

export function missingValue(reference: string): FleetError {
  return new FleetError("missing_value", `the value ${reference} is not stored anymore`);
}

/** The error for a job that does not exist or is hidden from the caller. */
export function unknownJob(id: string): FleetError {
  return new FleetError("invalid", `the job ${id} is unknown`);
}
