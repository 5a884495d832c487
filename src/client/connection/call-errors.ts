import { type AuthMethod, ERROR_CODES } from "../../protocol/acp/index.ts";
import { CallCancelledError, RemoteError } from "../../transport/rpc/index.ts";
import { AuthRequiredError, TimeoutError } from "../errors.ts";

/** The error that a call rejects with: a time limit and a missing sign-in have errors of their own. */
export function toCallError(error: unknown, authMethods: readonly AuthMethod[]): unknown {
  if (error instanceof CallCancelledError && error.cause instanceof TimeoutError) {
    return error.cause;
  }
  if (error instanceof RemoteError && error.code === ERROR_CODES.authRequired) {
    return new AuthRequiredError(error, authMethods);
  }
  return error;
}
