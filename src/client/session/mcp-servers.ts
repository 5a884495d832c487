import { type McpServer, mcpServerLacks, type NameValue } from "../../acp/index.ts";
import { isList } from "../../wire/index.ts";
import { CapabilityError, InvalidArgumentError } from "../errors.ts";

/** Variables or headers, as a map or as the list that the protocol uses. */
export type NamedValues = Readonly<Record<string, string>> | readonly NameValue[];

/** An MCP server that the agent starts as a process. Every agent supports this. */
export interface StdioMcpServer {
  readonly type?: "stdio" | undefined;
  readonly name: string;
  /** The agent starts it, so an absolute path is safest. */
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  readonly env?: NamedValues | undefined;
}

/** An MCP server that the agent reaches over HTTP. Needs `mcpCapabilities.http` or `.sse`. */
export interface RemoteMcpServer {
  readonly type: "http" | "sse";
  readonly name: string;
  readonly url: string;
  readonly headers?: NamedValues | undefined;
}

export type McpServerConfig = StdioMcpServer | RemoteMcpServer;

/**
 * Converts MCP servers to their protocol form. Throws CapabilityError for a transport that the agent
 * does not support, and InvalidArgumentError for an unknown one.
 */
export function toMcpServers(
  servers: readonly McpServerConfig[],
  capabilities: unknown,
): McpServer[] {
  return servers.map((server) => {
    const lacking = mcpServerLacks(server, capabilities);
    if (lacking !== undefined) {
      throw new CapabilityError(`the MCP server "${server.name}"`, lacking);
    }
    return toMcpServer(server);
  });
}

function toMcpServer(server: McpServerConfig): McpServer {
  const { name } = server;
  switch (server.type) {
    case "http":
    case "sse":
      return { type: server.type, name, url: server.url, headers: toList(server.headers) };
    case "stdio":
    case undefined:
      return {
        name,
        command: server.command,
        args: [...(server.args ?? [])],
        env: toList(server.env),
      };
    default:
      server satisfies never;
      throw new InvalidArgumentError(`the MCP server "${name}" has an unknown type`);
  }
}

function toList(values: NamedValues | undefined): NameValue[] {
  if (values === undefined) return [];
  if (isList(values)) return values.map(({ name, value }) => ({ name, value }));
  return Object.entries(values).map(([name, value]) => ({ name, value }));
}
