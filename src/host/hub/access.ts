import { RpcError } from "../../transport/rpc/index.ts";
import type { JsonObject } from "../../base/index.ts";
import { misspelledKey } from "./json/relayed-message.ts";
import type { ClientRole, HubClientOptions, HubSessionInfo } from "./options.ts";

export type SessionUse =
  /** It reads the session. */
  | "follow"
  /** It sends prompts and settings. */
  | "control"
  /** It loads, copies, closes or deletes the session, which only its owner may. */
  | "own";

export type SessionRight =
  | "granted"
  /** To this client, the session does not exist. */
  | "unknown"
  /** The client only observes. */
  | "observer";

/**
 * Pure: whether a client may use a session, by its owner, agent, folders and role. Every method that opens,
 * copies, joins, uses or ends a session asks here. `role` is that in which the client is attached. Default:
 * the role of the client.
 */
export function sessionAccess(
  client: Pick<HubClientOptions, "owner" | "role" | "mayUse">,
  session: HubSessionInfo,
  use: SessionUse,
  role: ClientRole | undefined = client.role,
): SessionRight {
  const isOwn = session.owner === client.owner;
  const isReachable = client.mayUse ? client.mayUse(session) : isOwn;
  if (!isReachable || (use === "own" && !isOwn)) return "unknown";
  return use !== "follow" && role === "observer" ? "observer" : "granted";
}

/** Pure: checks the name of a session, which some agents would convert. Throws RpcError if it is not a string. */
export function checkSessionName({ sessionId }: JsonObject): void {
  if (sessionId === undefined || sessionId === null || typeof sessionId === "string") return;
  throw RpcError.invalidParams("sessionId must be a string", { field: "sessionId" });
}

/** Pure: also refuses misspelled fields that an agent may read, such as `McpServers`. */
export function checkNames(method: string, params: JsonObject): void {
  checkSessionName(params);
  const field = method.startsWith("_") ? undefined : misspelledKey(params);
  if (field !== undefined) throw RpcError.invalidParams(`${field} is misspelled`, { field });
}
