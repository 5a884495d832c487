import {
  checkParams,
  MCP_ERROR_CODES,
  type McpErrorObject,
  type McpMessageParams,
  type McpOutcome,
  type Meta,
  UNSTABLE_METHODS,
} from "../../protocol/acp/index.ts";
import {
  callSafely,
  deferred,
  definedFields,
  isJsonObject,
  type JsonObject,
  log,
  quietly,
  randomId,
  toError,
} from "../../base/index.ts";
import { type RequestContext, RpcError } from "../../transport/rpc/index.ts";
import { InvalidArgumentError } from "../errors.ts";
import type { SessionHost } from "../session/session-host.ts";
import type { SessionImpl } from "../session/session-impl.ts";

/**
 * An MCP server in this process, which the agent reaches through its connection to the client. Needs
 * `unstable: true` and `mcpCapabilities.acp`. Give either `handle` or `connect`.
 */
export type InProcessMcpServer = HandledMcpServer | ConnectedMcpServer;

/** An MCP server that is one function. */
interface HandledMcpServer {
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
interface ConnectedMcpServer {
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

/** The part of a session that notices when its agent waits for an MCP server. */
type WaitingSession = Pick<SessionImpl, "id" | "serving">;
type McpConnection = Pick<SessionHost, "logger" | "notify">;

/** How many requests one server may have open. More are denied, so that memory stays bounded. */
const MAX_OPEN_REQUESTS = 64;

export class DeclaredServer {
  readonly id = randomId();
  session: WaitingSession | undefined;
  readonly open = new Set<string>();
  readonly closing = new AbortController();
  readonly serve: (request: McpRequest) => Promise<McpOutcome>;
  /** Rejects with the error of a server that does not connect. */
  readonly connected: Promise<unknown>;
  readonly #transport: McpServerTransport | undefined;

  constructor({ handle, connect }: InProcessMcpServer) {
    if (handle) {
      this.serve = (request) => outcomeOf(() => handle(request));
      this.connected = Promise.resolve();
      return;
    }
    const transport = new McpServerTransport();
    this.#transport = transport;
    this.serve = (request) => transport.serve(request);
    this.connected = quietly(async () => connect(transport));
  }

  close(): void {
    this.closing.abort(new Error("the MCP server was closed"));
    void this.#transport?.close();
  }
}

/** The MCP servers of one connection that live in this process. */
export class McpServers {
  readonly #connection: McpConnection;
  readonly #servers = new Map<string, DeclaredServer>();

  constructor(connection: McpConnection) {
    this.#connection = connection;
  }

  /** Makes a server known, for a session that is about to be opened. */
  declare(server: InProcessMcpServer): DeclaredServer {
    if ((server.handle === undefined) === (server.connect === undefined)) {
      throw new InvalidArgumentError(
        `give exactly one of handle and connect for the MCP server "${server.name}"`,
      );
    }
    const declared = new DeclaredServer(server);
    this.#servers.set(declared.id, declared);
    return declared;
  }

  /** Answers an `mcp/message` of the agent. Rejects with RpcError. */
  async request(params: unknown, context: RequestContext): Promise<McpOutcome> {
    const checked = checkParams(UNSTABLE_METHODS.mcpMessage, params);
    if (!checked.ok) {
      throw RpcError.invalidParams("Invalid params", { errors: checked.faults });
    }
    const { serverId, requestId } = checked.params;
    const server = this.#servers.get(serverId);
    if (!server) {
      throw new RpcError(MCP_ERROR_CODES.serverUnavailable, "No such MCP server", { serverId });
    }
    if (server.open.has(requestId)) {
      throw RpcError.invalidParams("The MCP request id is in use", { serverId, requestId });
    }
    if (server.open.size >= MAX_OPEN_REQUESTS) {
      const message = `The MCP server has ${MAX_OPEN_REQUESTS} open requests`;
      throw new RpcError(MCP_ERROR_CODES.resourceLimitExceeded, message, { serverId });
    }
    server.open.add(requestId);
    const { session } = server;
    session?.serving(true);
    try {
      return await this.#serve(server, checked.params, context.signal);
    } finally {
      server.open.delete(requestId);
      session?.serving(false);
    }
  }

  closeSession(sessionId: string): void {
    this.close([...this.#servers.values()].filter(({ session }) => session?.id === sessionId));
  }

  /** Closes these servers. Default: all of the connection. */
  close(servers: Iterable<DeclaredServer> = this.#servers.values()): void {
    for (const server of servers) {
      this.#servers.delete(server.id);
      server.close();
    }
  }

  async #serve(
    server: DeclaredServer,
    { serverId, requestId, method, params }: McpMessageParams,
    cancelled: AbortSignal,
  ): Promise<McpOutcome> {
    const signal = AbortSignal.any([cancelled, server.closing.signal]);
    let over = false;
    const request: McpRequest = {
      requestId,
      method,
      params: params ?? undefined,
      signal,
      notify: (notification, given) =>
        quietly(async () => {
          if (over) return;
          await this.#connection.notify(UNSTABLE_METHODS.mcpMessage, {
            serverId,
            requestId,
            method: notification,
            ...definedFields({ params: given }),
          });
        }),
    };
    try {
      return await server.serve(request);
    } catch (error) {
      const { message } = toError(error);
      log(this.#connection.logger, "warn", "an MCP server failed", { method, error: message });
      const details = { serverId, details: message };
      throw new RpcError(MCP_ERROR_CODES.backendFailed, "The MCP server failed", details);
    } finally {
      over = true;
    }
  }
}

/** Runs a handler. The error that it chose is the server's answer, and not a failure. */
async function outcomeOf(work: () => unknown): Promise<McpOutcome> {
  try {
    return { result: (await work()) ?? null };
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    const { rpcCode: code, message, data } = error;
    return { error: { code, message, ...definedFields({ data }) } };
  }
}

/** A JSON-RPC message of MCP. */
type McpMessage = object;

/** How an MCP server sends a message. */
interface McpSendOptions {
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
class McpServerTransport implements McpTransport {
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
