import {
  checkParams,
  type Implementation,
  MCP_REQUEST_META,
  type McpErrorObject,
  readMcpMessageResult,
  UNSTABLE_METHODS,
} from "../../protocol/acp/index.ts";
import {
  DragomanError,
  randomId,
  callSafely,
  definedFields,
  isJsonObject,
  type JsonObject,
  quietly,
} from "../../base/index.ts";

/** An MCP server answered a request with an error. Its code is a code of MCP, not of ACP. */
export class McpError extends DragomanError {
  override readonly name = "McpError";
  /** The code of MCP that the server sent. */
  readonly rpcCode: number;
  /** More about the error, as the server sent it. */
  readonly data: unknown;

  constructor({ code, message, data }: McpErrorObject) {
    super("remote_error", message);
    this.rpcCode = code;
    this.data = data;
  }
}

/** How an MCP request is sent. */
export interface McpCallOptions {
  /** Cancels the request. */
  readonly signal?: AbortSignal | undefined;
  /** Receives the notifications that belong to the request, such as its progress. */
  readonly onNotification?: ((method: string, params: JsonObject | undefined) => void) | undefined;
}

/** An MCP server in the client's process. */
export interface McpCaller {
  readonly name: string;
  /** Its id on this connection. */
  readonly serverId: string;
  /**
   * Sends an MCP request, such as `tools/list`, and resolves with its result. The MCP version and the
   * agent's name are added to `_meta` unless they are there. Rejects with McpError (the server answered
   * with an error), RemoteError (the server failed or is gone), ConnectionError or CallCancelledError.
   */
  request(method: string, params?: JsonObject, options?: McpCallOptions): Promise<unknown>;
}

type Ask = <T>(
  method: string,
  params: unknown,
  accept: (result: unknown) => T,
  signal: AbortSignal | undefined,
) => Promise<T>;

export class McpRequests {
  readonly #ask: Ask;
  readonly #info: Implementation;
  readonly #open = new Map<string, McpCallOptions["onNotification"]>();

  constructor(ask: Ask, info: Implementation) {
    this.#ask = ask;
    this.#info = info;
  }

  caller({ name, serverId }: { readonly name: string; readonly serverId: string }): McpCaller {
    return {
      name,
      serverId,
      request: (method, params, options = {}) =>
        quietly(() => this.#request(serverId, method, params ?? {}, options)),
    };
  }

  /** Passes a notification on to the request that it belongs to. Others are dropped. */
  notification(params: unknown): void {
    const given = checkParams(UNSTABLE_METHODS.mcpMessage, params);
    if (!given.ok) return;
    const { serverId, requestId, method, params: inner } = given.params;
    const listener = this.#open.get(key(serverId, requestId));
    callSafely(() => listener?.(method, inner ?? undefined));
  }

  async #request(
    serverId: string,
    method: string,
    params: JsonObject,
    { signal, onNotification }: McpCallOptions,
  ): Promise<unknown> {
    const requestId = randomId();
    const id = key(serverId, requestId);
    const sent = { serverId, requestId, method, params: this.#withMeta(params) };
    this.#open.set(id, onNotification);
    try {
      const outcome = await this.#ask(
        UNSTABLE_METHODS.mcpMessage,
        sent,
        readMcpMessageResult,
        signal,
      );
      if ("error" in outcome) throw new McpError(outcome.error);
      return outcome.result;
    } finally {
      this.#open.delete(id);
    }
  }

  #withMeta(params: JsonObject): JsonObject {
    const { protocolVersion, protocolVersionKey, clientCapabilitiesKey, clientInfoKey } =
      MCP_REQUEST_META;
    const { name, version, title } = this.#info;
    const given = params["_meta"];
    const meta = {
      [protocolVersionKey]: protocolVersion,
      [clientCapabilitiesKey]: {},
      [clientInfoKey]: { name, version, ...definedFields({ title }) },
      ...(isJsonObject(given) ? given : {}),
    };
    return { ...params, _meta: meta };
  }
}

function key(serverId: string, requestId: string): string {
  return JSON.stringify([serverId, requestId]);
}
