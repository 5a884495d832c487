import type { McpErrorObject, McpOutcome } from "../../protocol/acp/index.ts";
import { callSafely, deferred, isJsonObject, type JsonObject, quietly } from "../../base/index.ts";
import type { McpRequest } from "./mcp-request.ts";

/** A JSON-RPC message of MCP. */
export type McpMessage = object;

/** How an MCP server sends a message. */
export interface McpSendOptions {
  readonly relatedRequestId?: string | number | undefined;
}

/**
 * The client's end of a connection to an MCP server in this process. It has the form of `Transport` in
 * the MCP SDK, so that `connect: (transport) => server.connect(transport)` works.
 *
 * The protocol carries requests of the agent, their responses, and notifications of the server that
 * belong to an open request. A notification that belongs to none is dropped. A request of the server is
 * answered with -32601.
 */
export interface McpTransport {
  /** Receives each message for the server. The server sets it. */
  onmessage: (message: McpMessage) => void;
  /** Called when the session, or the connection to the agent, has closed. The server sets it. */
  onclose: () => void;
  /** Called with an error that belongs to no request. The server sets it. */
  onerror: (error: Error) => void;
  /** Does nothing: messages arrive once `connect` has set `onmessage`. */
  start(): Promise<void>;
  /** Sends a message of the server to the agent. Rejects if the transport is closed. */
  send(message: McpMessage, options?: McpSendOptions): Promise<void>;
  /** Closes the transport: open requests fail. */
  close(): Promise<void>;
}

interface OpenRequest {
  readonly request: McpRequest;
  readonly progressToken: unknown;
  readonly outcome: ReturnType<typeof deferred<McpOutcome>>;
}

const METHOD_NOT_FOUND = -32601;

/** Turns requests into messages for a server, and its messages into their outcomes. */
export class McpServerTransport implements McpTransport {
  onmessage: (message: McpMessage) => void = ignore;
  onclose: () => void = ignore;
  onerror: (error: Error) => void = ignore;
  readonly #open = new Map<string, OpenRequest>();
  #closed = false;

  start(): Promise<void> {
    return Promise.resolve();
  }

  /** Passes a request to the server. Rejects if the transport closes or the request is cancelled. */
  async serve(request: McpRequest): Promise<McpOutcome> {
    if (this.#closed) throw new Error("the MCP server has closed its transport");
    if (this.onmessage === ignore) throw new Error("the MCP server has not set onmessage");
    const { requestId: id, method, params, signal } = request;
    const meta = params?.["_meta"];
    const progressToken = isJsonObject(meta) ? meta["progressToken"] : undefined;
    const outcome = deferred<McpOutcome>();
    const cancel = (): void => {
      const cancelled = { requestId: id, reason: "the agent cancelled the request" };
      this.#pass({ jsonrpc: "2.0", method: "notifications/cancelled", params: cancelled });
      outcome.reject(new Error("cancelled"));
    };
    this.#open.set(id, { request, progressToken, outcome });
    signal.addEventListener("abort", cancel, { once: true });
    try {
      this.onmessage({ jsonrpc: "2.0", id, method, ...(params && { params }) });
      return await outcome.promise;
    } finally {
      signal.removeEventListener("abort", cancel);
      this.#open.delete(id);
    }
  }

  send(message: McpMessage, options: McpSendOptions = {}): Promise<void> {
    return quietly(async () => {
      if (this.#closed) throw new Error("the transport is closed");
      if (!isJsonObject(message)) return;
      const { id, method } = message;
      if (typeof method !== "string") return this.#settle(message);
      if (id === undefined) return await this.#notify(method, message, options);
      const error = { code: METHOD_NOT_FOUND, message: `the agent cannot answer ${method}` };
      this.#pass({ jsonrpc: "2.0", id, error });
    });
  }

  close(): Promise<void> {
    if (this.#closed) return Promise.resolve();
    this.#closed = true;
    for (const { outcome } of this.#open.values()) {
      outcome.reject(new Error("the MCP server has closed its transport"));
    }
    callSafely(() => this.onclose());
    return Promise.resolve();
  }

  #settle(response: JsonObject): void {
    const { id } = response;
    const open = typeof id === "string" ? this.#open.get(id) : undefined;
    const error = response["error"];
    if (isMcpError(error)) open?.outcome.resolve({ error });
    else if (response["result"] === undefined) open?.outcome.reject(new Error(NO_OUTCOME));
    else open?.outcome.resolve({ result: response["result"] });
  }

  async #notify(method: string, message: JsonObject, options: McpSendOptions): Promise<void> {
    const given = message["params"];
    const params = isJsonObject(given) ? given : undefined;
    const related = this.#relatedTo(options.relatedRequestId, params?.["progressToken"]);
    await related?.notify(method, params);
  }

  #relatedTo(
    requestId: string | number | undefined,
    progressToken: unknown,
  ): McpRequest | undefined {
    if (requestId !== undefined) return this.#open.get(String(requestId))?.request;
    const open = [...this.#open.values()];
    if (progressToken === undefined) return open.length === 1 ? open[0]?.request : undefined;
    return open.find((other) => other.progressToken === progressToken)?.request;
  }

  #pass(message: JsonObject): void {
    callSafely(() => this.onmessage(message));
  }
}

/** Does nothing, because the MCP SDK calls the handlers that it replaces. */
function ignore(): void {}

const NO_OUTCOME = "the MCP server answered with neither a result nor an error";

function isMcpError(value: unknown): value is McpErrorObject {
  return (
    isJsonObject(value) && Number.isInteger(value["code"]) && typeof value["message"] === "string"
  );
}
