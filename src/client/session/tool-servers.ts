import { type AgentCapability, agentHas } from "../../protocol/acp/index.ts";
import type { OpenToolServer, ToolServer, ToolTransport } from "../../tools/index.ts";
import { assertCapability, type CapabilityHost } from "../unstable/capability.ts";
import type { McpServerConfig, PlainMcpServer } from "./mcp-servers.ts";

/** The part of a session that has tool servers. */
export interface ToolSession {
  /** The session aborts their calls when a turn is cancelled, and closes them when it ends. */
  toolServers: readonly OpenToolServer[];
  /** True if the session has ended. */
  readonly ended: boolean;
  serving(active: boolean): void;
}

/** The MCP servers of a session that is about to be opened, with its tool servers opened. */
export interface ResolvedServers {
  readonly servers: readonly PlainMcpServer[];
  /** Lets the tool servers end with the session. */
  attach(session: ToolSession): void;
  /** Closes the tool servers, because the session was not opened. */
  close(): void;
}

/** Whether the list has a tool server, which has to be opened first. */
export function hasToolServer(servers: readonly McpServerConfig[]): boolean {
  return servers.some(({ type }) => type === "tools");
}

/**
 * Opens the tool servers of a list and replaces each with the MCP server that the agent connects to.
 * Rejects with CapabilityError or ToolServerError, and leaves nothing open then.
 */
export async function openToolServers(
  given: readonly McpServerConfig[],
  host: CapabilityHost,
): Promise<ResolvedServers> {
  const open: OpenToolServer[] = [];
  let session: ToolSession | undefined;
  let active = 0;
  const onActive = (isActive: boolean): void => {
    active += isActive ? 1 : -1;
    session?.serving(isActive);
  };
  const close = (): void => {
    for (const server of open) void server.close();
  };
  try {
    const servers: PlainMcpServer[] = [];
    for (const server of given) {
      if (server.type !== "tools") {
        servers.push(server);
        continue;
      }
      const opened = await server.open(toolTransport(server, host), { onActive });
      open.push(opened);
      servers.push(opened.endpoint);
    }
    return {
      servers,
      attach: (ready) => {
        session = ready;
        ready.toolServers = open;
        for (let n = 0; n < active; n++) ready.serving(true);
        if (ready.ended) close();
      },
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

/** The transport that the server names, or the best one that the agent supports. */
export function toolTransport(server: ToolServer, host: CapabilityHost): ToolTransport {
  const { transport } = server;
  if (transport === undefined) return best(host);
  const needed = NEEDED[transport];
  if (needed !== undefined) assertCapability(host, `the tool server "${server.name}"`, needed);
  return transport;
}

/** The capability that each transport needs. Every agent supports stdio. */
const NEEDED: Readonly<Record<ToolTransport, AgentCapability | undefined>> = {
  acp: "mcpCapabilities.acp",
  http: "mcpCapabilities.http",
  stdio: undefined,
};

function best({ capabilities, unstable }: CapabilityHost): ToolTransport {
  if (unstable && agentHas(capabilities, "mcpCapabilities.acp")) return "acp";
  return agentHas(capabilities, "mcpCapabilities.http") ? "http" : "stdio";
}
