import {
  type AuthStatus,
  type Implementation,
  type Meta,
  UNSTABLE_METHODS,
} from "../../acp/index.ts";
import type { McpRequests } from "./mcp.ts";

/** The part of a definition that a connection to a client needs. */
export interface LinkDefinition {
  readonly info: Implementation;
  readonly unstable?: boolean | undefined;
  readonly localWorkspaces?: boolean | undefined;
  /** Present if the agent offers its sign-in state. */
  readonly authStatus?: unknown;
}

/** The part of a connection to a client that belongs to the unstable protocol. */
export interface UnstableLink {
  /** The requests to MCP servers in the client's process. */
  readonly mcp: McpRequests;
  /** The subagents that the client may cancel, by the id of their session. */
  readonly subagents: Map<string, { cancel(meta: Meta | undefined): void }>;
}

/** The params of `auth/status_update`, or an error if the agent does not offer the status. */
export function authStatusUpdate(
  { unstable, authStatus }: LinkDefinition,
  status: AuthStatus,
): readonly [method: string, params: AuthStatus] {
  if (unstable === true && authStatus !== undefined)
    return [UNSTABLE_METHODS.authStatusUpdate, status];
  throw new TypeError(
    "the agent definition needs unstable: true and authStatus to report the sign-in state",
  );
}
