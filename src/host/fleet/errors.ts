import { DragomanError, type ErrorCode } from "../../base/index.ts";

/** A call to a fleet failed. */
export class FleetError extends DragomanError {
  override readonly name = "FleetError";
}

export function isFleetError(error: unknown, code: ErrorCode): error is FleetError {
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
  return new FleetError("timeout", message);
}

export function missingValue(reference: string): FleetError {
  return new FleetError("not_found", `the value ${reference} is not stored anymore`);
}

/** The error for a job that does not exist or is hidden from the caller. */
export function unknownJob(id: string): FleetError {
  return new FleetError("not_found", `the job ${id} is unknown`);
}
