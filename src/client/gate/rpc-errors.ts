import { ERROR_CODES, type Fault, type ToolKind } from "../../protocol/acp/index.ts";
import { RpcError } from "../../transport/rpc/index.ts";
import { fileUrl } from "../paths.ts";
import type { JailError, JailReason } from "./jail/errors.ts";

/**
 * The error code for work that the host's policy does not allow. ACP has no code for it. This one is
 * in the range that JSON-RPC reserves for implementations and that ACP does not use.
 */
const PERMISSION_DENIED = -32003;

export function deniedError(kind: ToolKind, reason?: string): RpcError {
  const message = reason === undefined ? "Permission denied" : `Permission denied: ${reason}`;
  return new RpcError(PERMISSION_DENIED, message, { reason: "permission-denied", kind });
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
export function elicitationModeError(mode: unknown): RpcError {
  const message = `${JSON.stringify(mode)} is not advertised`;
  return invalidParamsError("elicitation/create", [{ path: "mode", message }]);
}

/** The reasons that no other params could help against. */
const INTERNAL: readonly JailReason[] = ["failed", "changed", "no-access", "read-only"];

/** The error an agent gets for a denied path. It names only the path as the agent sent it. */
export function jailRpcError({ reason, path, message }: JailError): RpcError {
  if (reason === "not-found") {
    const data = { uri: fileUrl(path).href, reason };
    return new RpcError(ERROR_CODES.resourceNotFound, `Resource not found: ${message}`, data);
  }
  return INTERNAL.includes(reason)
    ? new RpcError(ERROR_CODES.internalError, message, { path, reason })
    : RpcError.invalidParams(message, { path, reason });
}
