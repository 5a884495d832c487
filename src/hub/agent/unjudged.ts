import { RpcError } from "../../rpc/index.ts";
import { unknownSession } from "../errors.ts";
import type { AgentRequestMessage } from "./link.ts";

/** The methods that always belong to a session. Others, such as questions during a login, may not. */
const NEEDS_SESSION = /^(?:fs|session|terminal)\//;

/**
 * Pure: the error for a request that belongs to no open session, so that no rule can judge it. Returns
 * undefined if it needs none.
 */
export function unjudgedError({
  method,
  params,
  sessionId,
}: Pick<AgentRequestMessage, "method" | "params" | "sessionId">): RpcError | undefined {
  if (sessionId !== undefined) return unknownSession(sessionId);
  const isGiven = (params["sessionId"] ?? null) !== null;
  if (!isGiven && !NEEDS_SESSION.test(method)) return undefined;
  const field = "sessionId";
  return RpcError.invalidParams(`${field} must be the id of an open session`, { field });
}
