import { pathToFileURL } from "node:url";
import { ERROR_CODES, type Fault, type ToolKind } from "../../acp/index.ts";
import { RpcError } from "../../rpc/index.ts";
import type { JailError } from "./jail/errors.ts";

/**
 * The answer to work that the host's policy does not allow. ACP has no number for it; this one lies
 * in the range JSON-RPC leaves to implementations and is none of ACP's.
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

/** A session is a resource: its id may be well-formed and still name nothing. */
export function unknownSessionError(sessionId: string): RpcError {
  return new RpcError(ERROR_CODES.resourceNotFound, "Session not found", { sessionId });
}

export function unknownTerminalError(terminalId: string): RpcError {
  return new RpcError(ERROR_CODES.resourceNotFound, "Terminal not found", { terminalId });
}

/** The protocol wants this code for an elicitation mode that was not advertised. */
export function unknownModeError(mode: unknown): RpcError {
  const message = `${JSON.stringify(mode)} is not advertised`;
  return invalidParamsError("elicitation/create", [{ path: "mode", message }]);
}

/** What an agent is told of a path that was refused: the path as it sent it, and no other. */
export function jailRpcError(error: JailError): RpcError {
  const { reason, path, message } = error;
  switch (reason) {
    case "not-found":
      return new RpcError(ERROR_CODES.resourceNotFound, `Resource not found: ${message}`, {
        uri: pathToFileURL(path).href,
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
