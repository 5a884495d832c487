import {
  type HttpHeader,
  type McpServer,
  mcpServerLacks,
  type Meta,
  metaField,
  type NameValue,
} from "../../protocol/acp/index.ts";
import type { ToolServer } from "../../tools/index.ts";
import { isList } from "../../base/index.ts";
import { CapabilityError, InvalidArgumentError } from "../errors.ts";
import type { InProcessMcpServer } from "../unstable/mcp-server.ts";

/** Variables or headers, as a map or as the list that the protocol uses. */
export type NamedValues = Readonly<Record<string, string>> | readonly NameValue[];

/** An MCP server that the agent starts as a process. Every agent supports this. */
export interface StdioMcpServer {
  /** The transport. Default: `stdio`. */
  readonly type?: "stdio" | undefined;
  readonly name: string;
  /** The agent starts it, so an absolute path is safest. */
  readonly command: string;
  /** The arguments. Default: none. */
  readonly args?: readonly string[] | undefined;
  /** Environment variables for the server. */
  readonly env?: NamedValues | undefined;
  /** Sent as the `_meta` of the server. */
  readonly meta?: Meta | undefined;
}

/** An MCP server that the agent reaches over HTTP. Needs `mcpCapabilities.http` or `.sse`. */
export interface RemoteMcpServer {
  /** The transport. */
  readonly type: "http" | "sse";
  readonly name: string;
  readonly url: string;
  /** HTTP headers for every request to the server. */
  readonly headers?: NamedValues | undefined;
  /** Sent as the `_meta` of the server. */
  readonly meta?: Meta | undefined;
}

/** An MCP server of a session, or a server of tools in this process (see `dragoman/tools`). */
export type McpServerConfig = StdioMcpServer | RemoteMcpServer | InProcessMcpServer | ToolServer;

/** An MCP server that the agent can connect to as it is. */
export type PlainMcpServer = Exclude<McpServerConfig, ToolServer>;

/**
 * Converts MCP servers to their protocol form. `declare` returns the id of one in this process. Throws
 * CapabilityError for a transport that the agent does not support, and InvalidArgumentError for an
 * unknown one.
 */
export function toMcpServers(
  servers: readonly PlainMcpServer[],
  capabilities: unknown,
  declare: (server: InProcessMcpServer) => string,
): McpServer[] {
  return servers.map((server) => {
    const lacking = mcpServerLacks(server, capabilities);
    if (lacking !== undefined) {
      throw new CapabilityError(`the MCP server "${server.name}"`, lacking);
    }
    return toMcpServer(server, declare);
  });
}

function toMcpServer(
  server: PlainMcpServer,
  declare: (server: InProcessMcpServer) => string,
): McpServer {
  const { name } = server;
  const meta = metaField(server.meta);
  switch (server.type) {
    case "http":
    case "sse":
      return { type: server.type, name, url: server.url, headers: toList(server.headers), ...meta };
    case "acp":
      return { type: "acp", name, serverId: declare(server), ...meta };
    case "stdio":
    case undefined:
      return {
        name,
        command: server.command,
        args: [...(server.args ?? [])],
        env: toList(server.env),
        ...meta,
      };
    default:
      server satisfies never;
      throw new InvalidArgumentError(`the MCP server "${name}" has an unknown type`);
  }
}

function toList(values: NamedValues | undefined): HttpHeader[] {
  if (values === undefined) return [];
  if (isList(values))
    return values.map(({ name, value, _meta }) => ({
      name,
      value,
      ...metaField(_meta ?? undefined),
    }));
  return Object.entries(values).map(([name, value]) => ({ name, value }));
}
