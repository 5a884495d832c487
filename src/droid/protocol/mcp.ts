import type { JsonObject } from "../../base/index.ts";
import type { McpToolInfo } from "./methods.ts";

/** An MCP server for one session. It is never written to the project's or the user's files. */
export type DroidMcpServer =
  | {
      /** How Droid reaches the server. Default: `stdio`. */
      readonly type?: "stdio" | undefined;
      /** The name of the server; its tools are called `name___tool`. */
      readonly name: string;
      /** The executable that Droid starts. */
      readonly command: string;
      /** The arguments of the command. Default: none. */
      readonly args?: readonly string[] | undefined;
      /** Variables for the server, on top of Droid's environment. */
      readonly env?: Readonly<Record<string, string>> | undefined;
    }
  | {
      /** How Droid reaches the server. */
      readonly type: "http" | "sse";
      /** The name of the server; its tools are called `name___tool`. */
      readonly name: string;
      readonly url: string;
      /** HTTP headers for every request to the server. */
      readonly headers?: Readonly<Record<string, string>> | undefined;
    };

/** The status of a server that was passed to `start` or `load`. */
export interface McpServerReport {
  readonly name: string;
  /**
   * `failed`: Droid lists no tools of this server. Droid gives no other sign that a server did not
   * start, so a server without tools is also reported as failed. `unsupported`: this version of
   * Droid does not start servers.
   */
  readonly status: "connected" | "failed" | "unsupported";
  /** The names of its tools. */
  readonly tools: readonly string[];
}

/**
 * The format that `initialize_session` and `load_session` expect: `env` is an object, headers are a
 * list.
 */
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

/** The report for a version that does not start MCP servers. */
export function unsupportedMcp(servers: readonly DroidMcpServer[]): readonly McpServerReport[] {
  return servers.map(({ name }) => ({ name, status: "unsupported", tools: [] }));
}
