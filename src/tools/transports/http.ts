import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { RpcCode, RpcError } from "../../transport/rpc/index.ts";
import { isJsonObject, type JsonObject, parseJson, randomId, toError } from "../../base/index.ts";
import {
  guardRequest,
  type HttpRefusal,
  namesWithPort,
  NOT_FOUND,
  readBody,
  ServerToken,
} from "../../transport/wire/index.ts";
import { ToolServerError } from "../tool.ts";
import { isKnownRevision, type ToolAnswer } from "../mcp.ts";

/** A running HTTP server and how to reach it. */
export interface ServedHttp {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

const HOST = "127.0.0.1";
const MCP_PATH = "/mcp";
const MAX_BODY_BYTES = 8 * 1024 * 1024;
const MAX_CONNECTIONS = 128;
/** HTTP clients, such as Node's, give up on a response that is silent for five minutes. */
const KEEP_ALIVE_MS = 15_000;
const SESSION_HEADER = "mcp-session-id";

/** Serves MCP on a free loopback port. Rejects with ToolServerError if none can be opened. */
export async function serveHttp(answer: ToolAnswer): Promise<ServedHttp> {
  const server = createServer();
  server.maxConnections = MAX_CONNECTIONS;
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(0, HOST, resolve);
    });
  } catch (cause) {
    const why = `could not listen on ${HOST}: ${toError(cause).message}`;
    throw new ToolServerError("unavailable", why, { cause });
  }
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  return new HttpService(server, port, answer);
}

class HttpService implements ServedHttp {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly #server: Server;
  readonly #port: number;
  readonly #answer: ToolAnswer;
  readonly #token = new ServerToken();
  readonly #sessions = new HttpSessions();
  readonly #closing = new AbortController();

  constructor(server: Server, port: number, answer: ToolAnswer) {
    this.url = `http://${HOST}:${port}${MCP_PATH}`;
    this.headers = { Authorization: `Bearer ${this.#token.value}` };
    this.#server = server;
    this.#port = port;
    this.#answer = answer;
    server.on("error", () => {});
    server.on("request", (request, response) => {
      response.on("error", () => {});
      this.#serve(request, response).catch(() => response.destroy());
    });
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error("the session was closed"));
    const closed = new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
    this.#server.closeAllConnections();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refusal = this.#refusal(request);
    if (refusal) return refuse(response, refusal);
    if (request.method === "DELETE") {
      this.#sessions.end(sessionOf(request) ?? "");
      return respond(response, 200);
    }
    const body = await readBody(request, MAX_BODY_BYTES, this.#server.requestTimeout);
    if (!body.ok && body.failure !== "too-long") return void response.destroy();
    if (!body.ok) return refuse(response, { status: 413, text: "body is too large" });
    const message = parseJson(body.text);
    if (!isJsonObject(message)) {
      const error = { code: RpcCode.parseError, message: "Not a JSON-RPC message" };
      return respond(response, 400, { jsonrpc: "2.0", id: null, error });
    }
    await this.#receive(message, request, response);
  }

  #refusal(request: IncomingMessage): HttpRefusal | undefined {
    const hosts = namesWithPort([HOST, "localhost"], this.#port, false);
    const rules = { hosts, origins: "own", token: this.#token, publicPaths: [] } as const;
    const guarded = guardRequest(request, rules);
    if (!guarded.ok) return guarded.refusal;
    const { path, query } = guarded.target;
    if (path !== MCP_PATH || query.size > 0) return NOT_FOUND;
    if (request.method !== "POST" && request.method !== "DELETE") {
      return { status: 405, text: "method not allowed", headers: { allow: "POST, DELETE" } };
    }
    const revision = request.headers["mcp-protocol-version"];
    if (typeof revision === "string" && !isKnownRevision(revision)) {
      return { status: 400, text: "unsupported protocol version" };
    }
    const session = sessionOf(request);
    if (session === undefined || this.#sessions.has(session)) return undefined;
    // The client starts again with `initialize` when its session is gone.
    return { status: 404, text: "session not found" };
  }

  async #receive(
    message: JsonObject,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const { id, method } = message;
    const given = message["params"];
    const params = isJsonObject(given) ? given : undefined;
    const session = sessionOf(request);
    if (typeof method !== "string" || (typeof id !== "string" && typeof id !== "number")) {
      if (method === "notifications/cancelled") {
        this.#sessions.cancel(session, params?.["requestId"]);
      }
      return respond(response, 202);
    }
    const reply = new Reply(request, response, method);
    if (method === "initialize") reply.session = this.#sessions.start();
    const signal = AbortSignal.any([reply.controller.signal, this.#closing.signal]);
    await this.#sessions.track(session, id, reply.controller, async () => {
      try {
        const notify = (name: string, more?: JsonObject): Promise<void> =>
          reply.notify({ jsonrpc: "2.0", method: name, params: more });
        const result = await this.#answer({ method, params, signal, notify });
        reply.end({ jsonrpc: "2.0", id, result });
      } catch (error) {
        reply.end({ jsonrpc: "2.0", id, error: errorOf(error) });
      }
    });
  }
}

/** The response to one request: an event stream for a tool call, and JSON for everything else. */
class Reply {
  /** Aborted when the client cancels the request or closes the connection: it cannot be answered then. */
  readonly controller = new AbortController();
  session: string | undefined;
  readonly #response: ServerResponse;
  readonly #isStream: boolean;
  readonly #keepAlive: NodeJS.Timeout | undefined;

  constructor(request: IncomingMessage, response: ServerResponse, method: string) {
    this.#response = response;
    const accept = request.headers.accept ?? "";
    this.#isStream = method === "tools/call" && accept.includes("text/event-stream");
    response.on("close", () => {
      clearInterval(this.#keepAlive);
      this.controller.abort(new Error("the agent closed the connection"));
    });
    if (!this.#isStream) return;
    response.writeHead(200, {
      "content-type": "text/event-stream",
      "cache-control": "no-cache, no-transform",
    });
    response.flushHeaders();
    this.#keepAlive = setInterval(() => {
      if (!response.writableNeedDrain) response.write(": keep-alive\n\n");
    }, KEEP_ALIVE_MS);
    this.#keepAlive.unref();
  }

  /** Sends a message of a call. Resolves when the client can take more. */
  async notify(message: JsonObject): Promise<void> {
    const response = this.#response;
    if (!this.#isStream || response.writableEnded || response.destroyed) return;
    if (response.write(eventOf(message))) return;
    await new Promise<void>((resolve) => {
      response.once("drain", resolve);
      response.once("close", resolve);
    });
  }

  /** Sends the answer, unless the client has cancelled the request. */
  end(answer: JsonObject): void {
    const isCancelled = this.controller.signal.reason instanceof RequestCancelled;
    const response = this.#response;
    if (this.#isStream) response.end(isCancelled ? undefined : eventOf(answer));
    else if (isCancelled) response.destroy();
    else respond(response, 200, answer, this.session ? { [SESSION_HEADER]: this.session } : {});
  }
}

function eventOf(message: JsonObject): string {
  return `event: message\ndata: ${textOf(message)}\n\n`;
}

/** A result that is not JSON becomes an error, because the client waits for an answer. */
function textOf(message: JsonObject): string {
  try {
    return JSON.stringify(message);
  } catch (error) {
    const { jsonrpc, id } = message;
    return JSON.stringify({ jsonrpc, id, error: errorOf(error) });
  }
}

function errorOf(error: unknown): JsonObject {
  const { message } = toError(error);
  if (!(error instanceof RpcError)) return { code: RpcCode.internalError, message };
  return { code: error.rpcCode, message, data: error.data };
}

function sessionOf({ headers }: IncomingMessage): string | undefined {
  const session = headers[SESSION_HEADER];
  return typeof session === "string" ? session : undefined;
}

/** Closes the connection after a refusal, so that the rest of a large body is not read. */
function refuse(response: ServerResponse, { status, text, headers }: HttpRefusal): void {
  const error = { code: RpcCode.invalidRequest, message: text };
  respond(
    response,
    status,
    { jsonrpc: "2.0", id: null, error },
    { ...headers, connection: "close" },
  );
}

function respond(
  response: ServerResponse,
  status: number,
  body?: JsonObject,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (response.destroyed) return;
  const type = body ? { "content-type": "application/json" } : {};
  response.writeHead(status, { ...type, ...headers });
  response.end(body && textOf(body));
}

/** More sessions end the oldest: an agent that connects again and again does not close the old ones. */
const MAX_SESSIONS = 32;

/** The MCP sessions of one HTTP server. A request of the stateless revision belongs to none. */
class HttpSessions {
  /** The open requests of each session, by their ids. */
  readonly #sessions = new Map<string, Map<string | number, AbortController>>();

  /** Starts a session and returns its id. */
  start(): string {
    const [oldest] = this.#sessions.keys();
    if (oldest !== undefined && this.#sessions.size >= MAX_SESSIONS) this.end(oldest);
    const id = randomId();
    this.#sessions.set(id, new Map());
    return id;
  }

  has(id: string): boolean {
    return this.#sessions.has(id);
  }

  end(id: string): void {
    for (const request of this.#sessions.get(id)?.values() ?? []) {
      request.abort(new Error("the session ended"));
    }
    this.#sessions.delete(id);
  }

  /** Lets `cancel` find a request while `work` runs. */
  async track<T>(
    id: string | undefined,
    requestId: string | number,
    controller: AbortController,
    work: () => Promise<T>,
  ): Promise<T> {
    const open = id === undefined ? undefined : this.#sessions.get(id);
    open?.set(requestId, controller);
    try {
      return await work();
    } finally {
      if (open?.get(requestId) === controller) open.delete(requestId);
    }
  }

  cancel(id: string | undefined, requestId: unknown): void {
    if (id === undefined) return;
    if (typeof requestId !== "string" && typeof requestId !== "number") return;
    this.#sessions.get(id)?.get(requestId)?.abort(new RequestCancelled());
  }
}

/** The client cancelled a request and expects no answer to it. */
class RequestCancelled extends Error {
  override readonly name = "RequestCancelled";

  constructor() {
    super("the agent cancelled the call");
  }
}
