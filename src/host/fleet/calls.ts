import { FleetError } from "./errors.ts";

/** The error for a call to a host that no process answers for. */
export function noHost(host: string): FleetError {
  return new FleetError("no_owner", `no process answers for the host ${host}`);
}

/** The error for a call whose handler failed. */
export function callFailed(message: string): FleetError {
  return new FleetError("call_failed", message);
}

/** The error for a call that took too long. */
export function callTimeout(host: string, timeoutMs: number): FleetError {
  const message = `the host ${host} did not answer within ${timeoutMs} ms; it may have done the work`;
  return new FleetError("call_timeout", message);
}
