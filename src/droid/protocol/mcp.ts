import type { McpServerStatus } from "./messages.ts";
import { booleanField, type JsonObject, stringField } from "../../base/index.ts";
import type { DroidMcpServer, McpServerReport } from "./session.ts";

export function readMcpServer(value: JsonObject): McpServerStatus {
  return {
    name: stringField(value, "name") ?? "",
    status: stringField(value, "status") ?? "",
    source: stringField(value, "source"),
    serverType: stringField(value, "serverType"),
    isManaged: booleanField(value, "isManaged") === true,
    error: stringField(value, "error"),
    raw: value,
  };
}

/** The format that `initialize_session` and `load_session` expect: `env` is an object, headers are a list. */
export function mcpServerParams(server: DroidMcpServer): JsonObject {
  const { name } = server;
  if ("url" in server) {
    const headers = Object.entries(server.headers ?? {}).map(([key, value]) => ({
      name: key,
      value,
    }));
    return { type: server.type, name, url: server.url, headers };
  }
  return {
    name,
    command: server.command,
    args: [...(server.args ?? [])],
    env: { ...server.env },
  };
}

/** Derives the status of each requested server from the tools that Droid lists. */
export function mcpReport(
  servers: readonly { readonly name: string }[],
  tools: readonly McpToolInfo[],
): readonly McpServerReport[] {
  return servers.map(({ name }) => {
    const own = tools.filter(({ serverName }) => serverName === name).map((tool) => tool.name);
    return { name, status: own.length > 0 ? "connected" : "failed", tools: own };
  });
}

/** A tool of an MCP server. */
export interface McpToolInfo {
  readonly serverName: string;
  readonly name: string;
  readonly description: string | undefined;
  /** Whether the model may use the tool. */
  readonly isEnabled: boolean;
}

export function readMcpTool(value: JsonObject): McpToolInfo {
  return {
    serverName: stringField(value, "serverName") ?? "",
    name: stringField(value, "name") ?? "",
    description: stringField(value, "description"),
    isEnabled: booleanField(value, "isEnabled") !== false,
  };
}
