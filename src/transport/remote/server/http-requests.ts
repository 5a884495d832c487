import { parseJsonObject, parseJson } from "../../../base/index.ts";
import { type Acceptor, headerOf, type HttpRefusal, readBody, toLine } from "../../wire/index.ts";
import {
  CONNECTION_STREAM,
  HEADERS,
  INITIALIZE,
  type MessageRoute,
  routeOfFrame,
  SESSION_METHODS,
} from "../http/routes.ts";
import type { HttpRequestLike, HttpResponseLike, RemoteChannel, RemoteLimits } from "./options.ts";
import { FULL, RETRY_AFTER, type RateLimit, TOO_FAST } from "./gatekeeper.ts";
import { HttpConnection, type RemoteClient } from "./http-connection.ts";

/** An answer without a body, or with a JSON-RPC message. */
interface Answer {
  readonly status: 200 | 202;
  readonly line?: string | undefined;
  readonly connectionId?: string | undefined;
}

/** The outcome of a request. `streaming` means that the stream answers it. */
export type Outcome = Answer | HttpRefusal | "streaming";

const refuse = (status: number, text: string): HttpRefusal => ({ status, text });

/** The connections over streamable HTTP, and the requests that use them. */
export class HttpRequests<A> {
  readonly #limits: RemoteLimits;
  readonly #acceptor: Acceptor<RemoteChannel<A>>;
  readonly #connects: RateLimit;
  readonly #connections = new Map<string, HttpConnection<A>>();
  #onEmpty: () => void = () => {};

  constructor(limits: RemoteLimits, acceptor: Acceptor<RemoteChannel<A>>, connects: RateLimit) {
    this.#limits = limits;
    this.#acceptor = acceptor;
    this.#connects = connects;
  }

  empty(): Promise<void> {
    if (this.#connections.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onEmpty = resolve;
    });
  }

  /** Answers a request of a client that was let in. `isClosed`: no new connections. */
  async handle(
    request: HttpRequestLike,
    response: HttpResponseLike,
    client: RemoteClient<A>,
    isClosed: boolean,
  ): Promise<Outcome> {
    const { headers } = request;
    for (const name of [HEADERS.connection, HEADERS.session]) {
      if ((headerOf(headers, name)?.length ?? 0) > this.#limits.maxIdChars) {
        return refuse(400, `${name} is too long`);
      }
    }
    const id = headerOf(headers, HEADERS.connection);
    if (id === undefined && request.method === "POST") {
      return this.#connect(request, response, client, isClosed);
    }
    if (id === undefined) return refuse(400, "Acp-Connection-Id is missing");
    const connection = this.#connections.get(id);
    // Whether the id exists is a secret of its owner.
    if (!connection || connection.owner !== client.owner) {
      return refuse(404, "unknown Acp-Connection-Id");
    }
    switch (request.method) {
      case "POST":
        return this.#post(request, connection);
      case "GET":
        return this.#stream(request, response, connection);
      default:
        connection.delete();
        return { status: 202 };
    }
  }

  async #connect(
    request: HttpRequestLike,
    response: HttpResponseLike,
    client: RemoteClient<A>,
    isClosed: boolean,
  ): Promise<Outcome> {
    if (isClosed) return { ...FULL, text: "the server is shutting down" };
    if (this.#acceptor.isFull) return FULL;
    if (!this.#connects.take(client.owner)) return TOO_FAST;
    const posted = await this.#read(request);
    if ("status" in posted) return posted;
    const { line, route } = posted;
    if (route.method !== INITIALIZE) return refuse(400, "Acp-Connection-Id is missing");
    if (route.kind !== "request" || route.id === null) {
      return refuse(400, "initialize must have an id");
    }
    // Others may have connected while the body was read.
    if (this.#acceptor.isFull) return FULL;
    const connection = this.#add(client);
    const left = new AbortController();
    response.on("close", () => left.abort());
    try {
      const answer = await connection.initialize(line, route, left.signal);
      return { status: 200, line: answer, connectionId: connection.connectionId };
    } catch {
      return refuse(504, "the agent did not answer initialize");
    }
  }

  #add(client: RemoteClient<A>): HttpConnection<A> {
    const connection = new HttpConnection(client, this.#limits);
    const { connectionId } = connection;
    this.#connections.set(connectionId, connection);
    connection.onEnd(() => {
      this.#connections.delete(connectionId);
      if (this.#connections.size === 0) this.#onEmpty();
    });
    this.#acceptor.add(connection);
    return connection;
  }

  async #post(request: HttpRequestLike, connection: HttpConnection<A>): Promise<Outcome> {
    const posted = await this.#read(request);
    if ("status" in posted) return posted;
    const { line, route } = posted;
    if (route.method === INITIALIZE) {
      return refuse(400, "initialize is not allowed on an existing connection");
    }
    const named = headerOf(request.headers, HEADERS.session);
    const problem = sessionProblem(route, named, connection.askedOn(route.id));
    if (problem !== undefined) return refuse(400, problem);
    if (route.kind === "request" && connection.isBusy) {
      return { status: 429, text: "too many requests are unanswered", headers: RETRY_AFTER };
    }
    await connection.receive(line, route, named);
    return { status: 202 };
  }

  #stream(
    request: HttpRequestLike,
    response: HttpResponseLike,
    connection: HttpConnection<A>,
  ): Outcome {
    const { headers } = request;
    if (!acceptsEvents(headerOf(headers, "accept"))) {
      return refuse(406, "a GET request must accept text/event-stream");
    }
    const key = headerOf(headers, HEADERS.session) ?? CONNECTION_STREAM;
    const status = connection.attach(key, headerOf(headers, HEADERS.lastEvent), response);
    switch (status) {
      case undefined:
        return "streaming";
      case 410:
        return refuse(410, "the events after Last-Event-ID are not kept anymore");
      case 429:
        return { status, text: "too many sessions", headers: RETRY_AFTER };
    }
  }

  async #read(request: HttpRequestLike): Promise<Posted | HttpRefusal> {
    if (!isJson(headerOf(request.headers, "content-type"))) {
      return refuse(415, "the body must be application/json");
    }
    const body = await readBody(request, this.#limits.maxMessageBytes, this.#limits.bodyMs);
    if (!body.ok) {
      // The rest of the body would be read as the next request.
      const headers = { connection: "close" };
      switch (body.failure) {
        case "too-long":
          return { status: 413, text: "the message is too long", headers };
        case "timeout":
          return { status: 408, text: "the body did not come in time", headers };
        case "aborted":
          return { status: 400, text: "the body is incomplete", headers };
      }
    }
    const line = toLine(body.text);
    const frame = parseJsonObject(line);
    if (!frame) {
      return isBatch(line)
        ? refuse(501, "JSON-RPC batches are not supported")
        : refuse(400, "the body is not a JSON-RPC message");
    }
    const route = routeOfFrame(frame);
    if (typeof route.id === "string" && route.id.length > this.#limits.maxIdChars) {
      return refuse(400, "the id is too long");
    }
    return { line, route };
  }
}

interface Posted {
  readonly line: string;
  readonly route: MessageRoute;
}

function isBatch(line: string): boolean {
  return line.trimStart().startsWith("[") && Array.isArray(parseJson(line));
}

/** Pure: what is wrong with the session that a message names; undefined if nothing is. */
function sessionProblem(
  route: MessageRoute,
  named: string | undefined,
  askedOn: string | undefined,
): string | undefined {
  if (route.kind === "response") {
    if (askedOn === undefined || askedOn === CONNECTION_STREAM || askedOn === named)
      return undefined;
    return named === undefined ? MISSING : MISMATCHED;
  }
  const isNeeded = SESSION_METHODS.has(route.method ?? "") || route.sessionId !== undefined;
  if (isNeeded && named === undefined) return MISSING;
  const isOther = route.sessionId !== undefined && route.sessionId !== named;
  return isOther ? MISMATCHED : undefined;
}

const MISSING = "Acp-Session-Id is missing";
const MISMATCHED = "Acp-Session-Id names another session than the message";

/** Pure: whether a header says that a body is JSON. */
function isJson(contentType: string | undefined): boolean {
  return contentType?.split(";", 1)[0]?.trim().toLowerCase() === "application/json";
}

/** Pure: whether the client accepts an event stream. */
function acceptsEvents(accept: string | undefined): boolean {
  return accept?.toLowerCase().includes("text/event-stream") === true;
}
