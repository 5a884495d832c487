import type { McpServer, SubagentDetails } from "../../acp/index.ts";
import { quietly } from "../../wire/index.ts";
import type { Link } from "../connection/client-link.ts";
import { UnsupportedByClientError } from "../errors.ts";
import type { SessionSender } from "../session/session-sender.ts";
import type { McpCaller } from "./mcp.ts";
import { AuthorSubagent, type SubagentHandle } from "./subagent.ts";

/** The unstable part of an open session. */
export interface UnstableSession {
  /**
   * An MCP server of the session that lives in the client's process, by its name. Throws RangeError if
   * there is none. Needs `mcpCapabilities: { acp: true }`.
   */
  mcp(name: string): McpCaller;
  /**
   * Reports a new subagent to the client. Rejects with UnsupportedByClientError if the client did not
   * advertise `subagents`, and without `unstable: true`.
   */
  openSubagent(
    details?: SubagentDetails,
    options?: {
      /** The id of its session. Default: a random UUID. */
      readonly id?: string | undefined;
    },
  ): Promise<SubagentHandle>;
}

/** Keeps the subagents of a session. */
export class SessionSubagents {
  readonly #link: Link;
  readonly #open = new Set<AuthorSubagent>();

  constructor(link: Link) {
    this.#link = link;
  }

  open(parent: SessionSender, details: SubagentDetails, id?: string): Promise<SubagentHandle> {
    return quietly(async () => {
      if (!this.#link.can("subagents")) throw new UnsupportedByClientError("subagents");
      const subagent = new AuthorSubagent(parent, this.#link, id);
      this.#open.add(subagent);
      this.#link.unstable.subagents.set(subagent.id, subagent);
      await subagent.describe(details);
      return subagent;
    });
  }

  /** Closes them with their session. */
  close(): void {
    for (const subagent of this.#open) {
      this.#link.unstable.subagents.delete(subagent.id);
      subagent.close();
    }
    this.#open.clear();
  }
}

/** The caller of an MCP server of a session. Throws RangeError if there is none with this name. */
export function mcpCaller(servers: readonly McpServer[], name: string, link: Link): McpCaller {
  for (const server of servers) {
    if ("serverId" in server && server.name === name) return link.unstable.mcp.caller(server);
  }
  throw new RangeError(`the session has no MCP server "${name}" in the client's process`);
}
