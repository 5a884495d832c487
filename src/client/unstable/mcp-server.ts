import type { Meta } from "../../protocol/acp/index.ts";
import type { McpRequest } from "./mcp-request.ts";
import type { McpTransport } from "./mcp-transport.ts";

/**
 * An MCP server in this process, which the agent reaches through its connection to the client. Needs
 * `unstable: true` and `mcpCapabilities.acp`. Give either `handle` or `connect`.
 */
export type InProcessMcpServer = HandledMcpServer | ConnectedMcpServer;

/** An MCP server that is one function. */
export interface HandledMcpServer {
  readonly type: "acp";
  readonly name: string;
  /** Sent as the `_meta` of the server. */
  readonly meta?: Meta | undefined;
  /**
   * Answers a request with the result of its MCP method. It may throw an RpcError, which becomes the
   * MCP error; any other error becomes a failure of the server.
   */
  readonly handle: (request: McpRequest) => unknown;
  /** Not with `handle`. */
  readonly connect?: undefined;
}

/** An MCP server that speaks to a transport, such as a server of the MCP SDK. */
export interface ConnectedMcpServer {
  readonly type: "acp";
  readonly name: string;
  /** Sent as the `_meta` of the server. */
  readonly meta?: Meta | undefined;
  /**
   * Connects a server to the transport. It is called before each session that has the server is
   * opened, and each call needs a server of its own. If it throws, the session is not opened.
   */
  readonly connect: (transport: McpTransport) => unknown;
  /** Not with `connect`. */
  readonly handle?: undefined;
}
