import {
  toSetupParams,
  type SessionOptions,
  type SetupParams,
} from "../session/session-options.ts";
import type { SessionImpl } from "../session/session-impl.ts";
import type { McpServerConfig, PlainMcpServer } from "../session/mcp-servers.ts";
import { hasToolServer, openToolServers } from "../session/tool-servers.ts";
import { assertCapability, type CapabilityHost } from "./capability.ts";
import type { InProcessMcpServer } from "./mcp-server.ts";
import type { McpServers } from "./mcp-servers.ts";
import { toUnstableParams } from "./options.ts";

/** The part of a connection that opens sessions. */
export interface OpeningHost extends CapabilityHost {
  /** Whether the agent is on a server, so that this side does not know its folders. */
  readonly isRemote: boolean;
}

/**
 * Opens a session with its MCP servers and tools of this process, which end with it. `defaults` has the
 * servers of sessions that name none, and `open` sends the params.
 * Rejects with CapabilityError or InvalidArgumentError before anything is sent, with the error of an
 * MCP server that does not connect or a tool server that does not open, and like `open`.
 */
export async function openSession(
  method: string,
  options: SessionOptions,
  host: OpeningHost,
  mcp: McpServers,
  defaults: Pick<SessionOptions, "mcpServers">,
  open: (params: SetupParams) => Promise<SessionImpl>,
): Promise<SessionImpl> {
  const given = options.mcpServers ?? defaults.mcpServers ?? [];
  // Without tool servers, nothing is awaited before the call is sent.
  if (!isPlain(given)) {
    const tools = await openToolServers(given, host);
    try {
      const session = await openPlain(method, options, host, mcp, tools.servers, open);
      tools.attach(session);
      return session;
    } catch (error) {
      tools.close();
      throw error;
    }
  }
  return openPlain(method, options, host, mcp, given, open);
}

function isPlain(servers: readonly McpServerConfig[]): servers is readonly PlainMcpServer[] {
  return !hasToolServer(servers);
}

async function openPlain(
  method: string,
  options: SessionOptions,
  host: OpeningHost,
  mcp: McpServers,
  given: readonly PlainMcpServer[],
  open: (params: SetupParams) => Promise<SessionImpl>,
): Promise<SessionImpl> {
  for (const server of given) {
    if (server.type !== "acp") continue;
    assertCapability(host, `the MCP server "${server.name}"`, "mcpCapabilities.acp");
  }
  const servers = mcp.newGroup();
  try {
    const declare = (server: InProcessMcpServer): string => servers.declare(server);
    const params = {
      ...toSetupParams(method, options, host.capabilities, given, declare, host.isRemote),
      ...toUnstableParams(method, options, host),
    };
    // Without servers, the call is sent at once, in order with the caller's other calls.
    if (!servers.isEmpty) await servers.connected();
    const session = await open(params);
    servers.attach(session);
    return session;
  } catch (error) {
    servers.close();
    throw error;
  }
}
