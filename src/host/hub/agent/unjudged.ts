import { CLIENT_METHODS } from "../../../protocol/acp/index.ts";
import { RpcError } from "../../../transport/rpc/index.ts";
import { unknownSession } from "../errors.ts";
import { misspelledField } from "../json/ambiguity.ts";
import type { AgentNotification, AgentRequestMessage } from "./link.ts";

/** The methods that always belong to a session. Others, such as questions during a login, may not. */
const NEEDS_SESSION = /^(?:fs|session|terminal)\//;

/** Pure: the error for a request that no rule can judge; undefined if one can, or if it needs none. */
export function unjudgedError(
  { method, params, sessionId }: Pick<AgentRequestMessage, "method" | "params" | "sessionId">,
  isSessionOpen: boolean,
): RpcError | undefined {
  const needsSession = NEEDS_SESSION.test(method);
  const misspelled = needsSession ? misspelledField(params) : undefined;
  if (misspelled !== undefined) return invalid(misspelled, "is misspelled");
  // Its tool calls would not be seen.
  if (method === CLIENT_METHODS.update) return RpcError.methodNotFound(method);
  if (isSessionOpen) return undefined;
  if (sessionId !== undefined) return unknownSession(sessionId);
  const isGiven = (params["sessionId"] ?? null) !== null;
  return isGiven || needsSession
    ? invalid("sessionId", "must be the id of an open session")
    : undefined;
}

/**
 * Pure: whether a notification gets around the rules: work that is sent without an id, which some clients
 * do all the same, or an update that hides a tool call.
 */
export function isUnjudged(
  { method, params }: Pick<AgentNotification, "method" | "params">,
  isSessionOpen: boolean,
): boolean {
  if (!NEEDS_SESSION.test(method)) return false;
  if (method !== CLIENT_METHODS.update || !isSessionOpen) return true;
  return params !== undefined && misspelledField(params) !== undefined;
}

function invalid(field: string, problem: string): RpcError {
  return RpcError.invalidParams(`${field} ${problem}`, { field });
}
