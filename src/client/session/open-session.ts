import {
  type McpServerConfig,
  type PlainMcpServer,
  type SessionOptions,
  type SetupParams,
  toSetupParams,
  toUnstableParams,
} from "./session-options.ts";
import type { SessionImpl } from "./session-impl.ts";
import { assertCapability, type CapabilityHost } from "../calls.ts";
import type { AgentConnection } from "../connection/connection.ts";
import type { DeclaredServer, InProcessMcpServer } from "../unstable/mcp.ts";
import { type AgentCapability, agentHas } from "../../protocol/acp/index.ts";
import type { OpenToolServer, ToolServer, ToolTransport } from "../../tools/index.ts";

/**
 * Opens a session with its MCP servers and tools of this process, which end with it. `defaults` has the
 * servers of sessions that name none, and `open` sends the params.
 * Rejects with CapabilityError or InvalidArgumentError before anything is sent, with the error of an
 * MCP server that does not connect or a tool server that does not open, and like `open`.
 */
export async function openSession(
  method: string,
  options: SessionOptions,
  host: AgentConnection,
  defaults: Pick<SessionOptions, "mcpServers">,
  open: (params: SetupParams) => Promise<SessionImpl>,
): Promise<SessionImpl> {
  const given = options.mcpServers ?? defaults.mcpServers ?? [];
  // Without tool servers, nothing is awaited before the call is sent.
  if (!isPlain(given)) {
    const tools = await openToolServers(given, host);
    try {
      const session = await openPlain(method, options, host, tools.servers, open);
      tools.attach(session);
      return session;
    } catch (error) {
      tools.close();
      throw error;
    }
  }
  return openPlain(method, options, host, given, open);
}

async function openPlain(
  method: string,
  options: SessionOptions,
  host: AgentConnection,
  given: readonly PlainMcpServer[],
  open: (params: SetupParams) => Promise<SessionImpl>,
): Promise<SessionImpl> {
  for (const server of given) {
    if (server.type !== "acp") continue;
    assertCapability(host, `the MCP server "${server.name}"`, "mcpCapabilities.acp");
  }
  const servers: DeclaredServer[] = [];
  try {
    const declare = (server: InProcessMcpServer): string => {
      const declared = host.mcp.declare(server);
      servers.push(declared);
      return declared.id;
    };
    const params = {
      ...toSetupParams(method, options, host.capabilities, given, declare, host.isRemote),
      ...toUnstableParams(method, options, host),
    };
    // Without servers, the call is sent at once, in order with the caller's other calls.
    if (servers.length > 0) await Promise.all(servers.map(({ connected }) => connected));
    const session = await open(params);
    for (const server of servers) server.session = session;
    return session;
  } catch (error) {
    host.mcp.close(servers);
    throw error;
  }
}

/** The part of a session that aborts the calls of its tools with a turn, and closes them when it ends. */
export type ToolSession = Pick<SessionImpl, "toolServers" | "ended" | "serving">;

/** The MCP servers of a session that is about to be opened, with its tool servers opened. */
interface ResolvedServers {
  readonly servers: readonly PlainMcpServer[];
  /** Lets the tool servers end with the session. */
  attach(session: ToolSession): void;
  /** Closes the tool servers, because the session was not opened. */
  close(): void;
}

/** Whether the list has no tool server, which would have to be opened first. */
function isPlain(servers: readonly McpServerConfig[]): servers is readonly PlainMcpServer[] {
  return servers.every(({ type }) => type !== "tools");
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
function toolTransport(server: ToolServer, host: CapabilityHost): ToolTransport {
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
