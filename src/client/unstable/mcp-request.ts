import type { JsonObject } from "../../base/index.ts";

/** A request of the agent to an MCP server in this process. */
export interface McpRequest {
  readonly requestId: string;
  /** The MCP method, such as `tools/call`. */
  readonly method: string;
  /** The params of the method. Its `_meta` has the agent's MCP version and capabilities. */
  readonly params: JsonObject | undefined;
  /** Aborted when the agent cancels the request, and when the session or the connection closes. */
  readonly signal: AbortSignal;
  /**
   * Sends a notification that belongs to the request, such as its progress. Resolves when the agent can
   * take more, and does nothing after the answer. Rejects with ConnectionError.
   */
  readonly notify: (method: string, params?: JsonObject) => Promise<void>;
}
