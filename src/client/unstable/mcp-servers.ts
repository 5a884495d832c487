import {
  checkParams,
  MCP_ERROR_CODES,
  type McpMessageParams,
  type McpOutcome,
  UNSTABLE_METHODS,
} from "../../protocol/acp/index.ts";
import { type RequestContext, RpcError } from "../../transport/rpc/index.ts";
import { randomId, definedFields, log, type Logger, quietly, toError } from "../../base/index.ts";
import { InvalidArgumentError } from "../errors.ts";
import type { McpRequest } from "./mcp-request.ts";
import type { InProcessMcpServer } from "./mcp-server.ts";
import { McpServerTransport } from "./mcp-transport.ts";

/** The part of a session that notices when its agent waits for an MCP server. */
export interface WaitingSession {
  readonly id: string;
  serving(active: boolean): void;
}

/** The part of a connection that MCP servers use. */
export interface McpConnection {
  readonly logger: Logger | undefined;
  notify(method: string, params: unknown): Promise<void>;
}

/** How many requests one server may have open. More are denied, so that memory stays bounded. */
const MAX_OPEN_REQUESTS = 64;

/** One MCP server of one session. */
class DeclaredServer {
  readonly id = randomId();
  session: WaitingSession | undefined;
  readonly open = new Set<string>();
  readonly closing = new AbortController();
  readonly serve: (request: McpRequest) => Promise<McpOutcome>;
  readonly transport: McpServerTransport | undefined;

  constructor(server: InProcessMcpServer) {
    if (server.handle) {
      const { handle } = server;
      this.serve = (request) => outcomeOf(() => handle(request));
      return;
    }
    const transport = new McpServerTransport();
    this.transport = transport;
    this.serve = (request) => transport.serve(request);
  }
}

/** The MCP servers of one connection that live in this process. */
export class McpServers {
  readonly #connection: McpConnection;
  readonly #servers = new Map<string, DeclaredServer>();

  constructor(connection: McpConnection) {
    this.#connection = connection;
  }

  /** The servers of a session that is about to be opened. */
  newGroup(): McpServerGroup {
    return new McpServerGroup(this.#servers);
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

  /** Closes the servers of a session. */
  closeSession(sessionId: string): void {
    for (const server of this.#servers.values()) {
      if (server.session?.id === sessionId) closeServer(this.#servers, server);
    }
  }

  /** Closes all servers. */
  close(): void {
    for (const server of this.#servers.values()) closeServer(this.#servers, server);
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

/** The MCP servers of one session, from before it is opened until it is closed. */
export class McpServerGroup {
  readonly #all: Map<string, DeclaredServer>;
  readonly #own: DeclaredServer[] = [];
  readonly #connecting: Promise<unknown>[] = [];

  constructor(all: Map<string, DeclaredServer>) {
    this.#all = all;
  }

  /** True if there is no server in this process. */
  get isEmpty(): boolean {
    return this.#own.length === 0;
  }

  /** Makes a server known to the connection and returns its id. */
  declare(server: InProcessMcpServer): string {
    if ((server.handle === undefined) === (server.connect === undefined)) {
      throw new InvalidArgumentError(
        `give exactly one of handle and connect for the MCP server "${server.name}"`,
      );
    }
    const declared = new DeclaredServer(server);
    this.#all.set(declared.id, declared);
    this.#own.push(declared);
    const { transport } = declared;
    if (server.connect && transport) this.#connecting.push(connect(server.connect, transport));
    return declared.id;
  }

  /** Resolves when all servers are connected. Rejects with the error of one that is not. */
  async connected(): Promise<void> {
    await Promise.all(this.#connecting);
  }

  /** Lets the servers end with a session. */
  attach(session: WaitingSession): void {
    for (const server of this.#own) server.session = session;
  }

  /** Closes the servers, because the session was not opened. */
  close(): void {
    for (const server of this.#own) closeServer(this.#all, server);
    // Each failure but the first would be unhandled otherwise.
    void Promise.allSettled(this.#connecting);
  }
}

async function connect(
  work: (transport: McpServerTransport) => unknown,
  transport: McpServerTransport,
): Promise<void> {
  await work(transport);
}

function closeServer(all: Map<string, DeclaredServer>, server: DeclaredServer): void {
  all.delete(server.id);
  server.closing.abort(new Error("the MCP server was closed"));
  void server.transport?.close();
}

/** Runs a handler. The error that it chose is the server's answer, and not a failure. */
async function outcomeOf(work: () => unknown): Promise<McpOutcome> {
  try {
    return { result: (await work()) ?? null };
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    const { code, message, data } = error;
    return { error: { code, message, ...definedFields({ data }) } };
  }
}
