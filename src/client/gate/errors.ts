import { ERROR_CODES, type Fault, type ToolKind } from "../../protocol/acp/index.ts";
import { RpcError } from "../../transport/rpc/index.ts";
import { fileUrl } from "../paths.ts";
import type { JailError } from "./jail/errors.ts";

/**
 * The error code for work that the host's policy does not allow. ACP has no code for it. This one is
 * in the range that JSON-RPC reserves for implementations and that ACP does not use.
 */
export const PERMISSION_DENIED = -32003;

export function deniedError(kind: ToolKind): RpcError {
  return new RpcError(PERMISSION_DENIED, "Permission denied", {
    reason: "permission-denied",
    kind,
  });
}

export function cancelledError(): RpcError {
  return new RpcError(ERROR_CODES.requestCancelled, "Request cancelled");
}

export function invalidParamsError(method: string, errors: readonly Fault[]): RpcError {
  return RpcError.invalidParams(`Invalid params for ${method}`, { errors });
}

/** A session is a resource, so a well-formed id of an unknown session is not an invalid parameter. */
export function unknownSessionError(sessionId: string): RpcError {
  return new RpcError(ERROR_CODES.resourceNotFound, "Session not found", { sessionId });
}

export function unknownTerminalError(terminalId: string): RpcError {
  return new RpcError(ERROR_CODES.resourceNotFound, "Terminal not found", { terminalId });
}

/** The protocol requires this code for an elicitation mode that was not advertised. */
export function unknownModeError(mode: unknown): RpcError {
  const message = `${JSON.stringify(mode)} is not advertised`;
  return invalidParamsError("elicitation/create", [{ path: "mode", message }]);
}

/** The error an agent gets for a denied path. It names only the path as the agent sent it. */
export function jailRpcError(error: JailError): RpcError {
  const { reason, path, message } = error;
  switch (reason) {
    case "not-found":
      return new RpcError(ERROR_CODES.resourceNotFound, `Resource not found: ${message}`, {
        uri: fileUrl(path).href,
        reason,
      });
    case "failed":
    case "changed":
    case "no-access":
    case "read-only":
      return new RpcError(ERROR_CODES.internalError, message, { path, reason });
    case "relative":
    case "malformed":
    case "too-long":
    case "outside":
    case "not-regular":
    case "not-a-folder":
    case "link-loop":
    case "binary":
    case "too-large":
      return RpcError.invalidParams(message, { path, reason });
  }
}
