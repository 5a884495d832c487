import type { SessionRole } from "../../transport/remote/index.ts";
import type { HubClientOptions, HubSessionInfo } from "./options.ts";

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
  role: SessionRole | undefined = client.role,
): SessionRight {
  const isOwn = session.owner === client.owner;
  const isReachable = client.mayUse ? client.mayUse(session) : isOwn;
  if (!isReachable || (use === "own" && !isOwn)) return "unknown";
  return use !== "follow" && role === "observer" ? "observer" : "granted";
}
