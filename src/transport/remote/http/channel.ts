import {
  type Deferred,
  type Overrides,
  deferred,
  definedFields,
  pause,
  quiet,
  toError,
  within,
} from "../../../base/index.ts";
import {
  type CloseReason,
  ChannelClosedError,
  DEFAULT_MAX_LINE_BYTES,
  QueuedChannel,
  toLine,
} from "../../wire/index.ts";
import { HttpStatusError } from "../errors.ts";
import {
  type RetryOptions,
  DEFAULT_RETRY,
  EventStream,
  errorBodyText,
  waitMs,
} from "./event-stream.ts";
import {
  type MessageRoute,
  CONNECTION_STREAM,
  ENDING_METHODS,
  HEADERS,
  INITIALIZE,
  OPENING_METHODS,
  routeOf,
} from "./routes.ts";

/** Options of a channel over streamable HTTP. */
export interface HttpChannelOptions {
  /** Headers of every request, for example `Authorization`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The function that sends requests. Default: the platform's `fetch`. */
  readonly fetch?: typeof fetch | undefined;
  /** The longest message accepted, in characters. Default: 64 Mi. */
  readonly maxLineBytes?: number | undefined;
  /** How a lost event stream is requested again. */
  readonly retry?: Overrides<RetryOptions> | undefined;
}

/** How long the server may take to answer the end of the connection. */
const DELETE_MS = 1000;
const INTERNAL_ERROR = -32603;

/** Notifications that mean the same if they arrive twice. */
const REPEATABLE: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "session/cancel",
  "$/cancel_request",
]);

/**
 * A channel to an agent behind streamable HTTP. Messages are posted in order, one at a time. Answers and
 * updates arrive as event streams, one for the connection and one for each session.
 *
 * A stream that is lost is requested again, from the last event that arrived. A request that the server
 * refuses is answered with the error -32603 and `data: { status, body }`; if it is unknown whether the
 * agent got it, with `data: { outcome: "unknown" }`. The channel fails when the connection's stream cannot
 * be opened again.
 */
export class HttpChannel extends QueuedChannel {
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #fetch: typeof fetch;
  readonly #maxChars: number;
  readonly #retry: RetryOptions;
  readonly #cookies = new CookieJar();
  readonly #controller = new AbortController();
  readonly #streams = new Map<string, EventStream>();
  /** The last events of session streams that were lost. The next message opens those again. */
  readonly #lostAt = new Map<string, string | undefined>();
  /** The sessions of the agent's requests. The answer has to name the same one. */
  readonly #asked = new Map<unknown, string>();
  readonly #calls = new Map<unknown, MessageRoute>();
  #posts: Promise<void> = Promise.resolve();
  #connectionId: string | undefined;
  #room: Deferred<void> | undefined;
  #isOver = false;

  constructor(url: string, options: HttpChannelOptions = {}) {
    // The streams stop reading while the queue is held, so no more than one line of each waits.
    super(Number.POSITIVE_INFINITY);
    this.#url = url;
    this.#headers = options.headers ?? {};
    this.#fetch = options.fetch ?? ((...request) => fetch(...request));
    this.#maxChars = options.maxLineBytes ?? DEFAULT_MAX_LINE_BYTES;
    this.#retry = { ...DEFAULT_RETRY, ...definedFields(options.retry) };
  }

  send(line: string): Promise<void> {
    if (this.#isOver) return quiet(Promise.reject(new ChannelClosedError()));
    const sent = this.#posts.then(() => this.#post(line));
    this.#posts = sent.catch(() => {});
    return quiet(sent);
  }

  async close(): Promise<CloseReason> {
    if (!this.#isOver) {
      this.#isOver = true;
      // The server ends the streams before it answers, and a stream that ends is requested again.
      this.#closeStreams();
      await this.#delete();
      this.#end({ kind: "closed" });
    }
    return this.closed;
  }

  /** Ends the connection on the server, which may be gone already. */
  async #delete(): Promise<void> {
    if (this.#connectionId === undefined) return;
    const deleted = this.#request({ method: "DELETE" }).then(
      (response) => void response.body?.cancel().catch(() => {}),
      () => {},
    );
    this.#connectionId = undefined;
    await within(deleted, DELETE_MS);
  }

  /** Lets the streams that wait for the receiver continue. */
  protected override flow(): void {
    if (this.isHeld) return;
    this.#room?.resolve();
    this.#room = undefined;
  }

  protected fail(error: Error): void {
    if (!this.#isOver) void this.#delete();
    this.#end({ kind: "failed", error });
  }

  /** Lines that arrived before are still delivered, unless this side closed the channel. */
  #end(reason: CloseReason): void {
    this.#isOver = true;
    this.#closeStreams();
    this.#controller.abort();
    this.finish(reason, reason.kind !== "closed");
    this.#room?.resolve();
  }

  #closeStreams(): void {
    for (const stream of this.#streams.values()) stream.close();
    this.#streams.clear();
    this.#lostAt.clear();
  }

  async #post(line: string): Promise<void> {
    if (this.#isOver) throw new ChannelClosedError();
    const route = routeOf(line);
    if (this.#connectionId === undefined || route?.method === INITIALIZE) {
      return this.#initialize(line);
    }
    const sessionId = route?.kind === "response" ? this.#takeAsked(route.id) : route?.sessionId;
    if (route?.kind === "request") this.#calls.set(route.id, route);
    try {
      if (sessionId !== undefined) await this.#prepare(sessionId, route?.method);
      await this.#deliverPost(line, route, sessionId);
    } catch (error) {
      if (this.#isOver) throw new ChannelClosedError();
      // Without the answer, the agent would wait forever; without a cancellation, the user would.
      if (route === undefined || route.kind === "request") this.#refuse(route, toError(error));
      else this.fail(toError(error));
    }
  }

  /** Opens the stream of a session that needs one before a message is sent. */
  async #prepare(sessionId: string, method: string | undefined): Promise<void> {
    if (OPENING_METHODS.has(method ?? "")) {
      // The history may come before the answer. Some servers refuse the stream of a session that is
      // not open yet; then it is requested when the answer arrives.
      await this.#follow(sessionId, undefined).catch(() => {});
    } else if (this.#lostAt.has(sessionId)) {
      await this.#follow(sessionId, this.#lostAt.get(sessionId));
    }
  }

  #takeAsked(id: unknown): string | undefined {
    const sessionId = this.#asked.get(id);
    this.#asked.delete(id);
    return sessionId;
  }

  /** Posts a message, again and again if that is harmless and the server cannot be reached. */
  async #deliverPost(
    line: string,
    route: MessageRoute | undefined,
    sessionId: string | undefined,
  ): Promise<void> {
    const headers = sessionId === undefined ? {} : { [HEADERS.session]: sessionId };
    const mayRepeat = route?.kind === "response" || REPEATABLE.has(route?.method ?? "");
    for (let attempt = 1; ; attempt++) {
      try {
        const response = await this.#request({ method: "POST", headers, body: line });
        if (response.status < 500 || !mayRepeat) return await this.#posted(response, route);
        throw new HttpStatusError("POST", response.status, await errorBodyText(response));
      } catch (error) {
        if (this.#isOver || !mayRepeat || attempt > this.#retry.attempts) throw error;
      }
      await pause(waitMs(this.#retry, attempt), this.#controller.signal);
    }
  }

  /** Starts a connection. A second `initialize` starts another one: a connection has only one. */
  async #initialize(line: string): Promise<void> {
    this.#closeStreams();
    await this.#delete();
    try {
      const response = await this.#request({ method: "POST", body: line });
      if (response.status !== 200) {
        throw new HttpStatusError("initialize", response.status, await errorBodyText(response));
      }
      this.#connectionId = response.headers.get(HEADERS.connection) ?? undefined;
      if (this.#connectionId === undefined) throw new Error("the server sent no Acp-Connection-Id");
      const answer = toLine(await response.text());
      if (this.#isOver) return await this.#delete();
      await this.#follow(CONNECTION_STREAM, undefined);
      this.push(answer);
    } catch (error) {
      if (this.#isOver) throw new ChannelClosedError();
      this.fail(toError(error));
    }
  }

  async #posted(response: Response, route: MessageRoute | undefined): Promise<void> {
    const { status } = response;
    if (status === 200) {
      // Some servers answer right here.
      await this.#deliver(toLine(await response.text()), undefined);
      return;
    }
    const body = await errorBodyText(response);
    if (status >= 300) this.#refuse(route, new HttpStatusError("POST", status, body));
  }

  /** A message did not reach the agent, or may not have. Only a request can be answered. */
  #refuse(route: MessageRoute | undefined, error: Error): void {
    if (route?.kind !== "request" || !this.#calls.delete(route.id)) return;
    const data =
      error instanceof HttpStatusError
        ? { status: error.status, body: error.body }
        : { outcome: "unknown" };
    const answer = { code: INTERNAL_ERROR, message: error.message, data };
    this.push(JSON.stringify({ jsonrpc: "2.0", id: route.id, error: answer }));
  }

  async #follow(key: string, after: string | undefined): Promise<void> {
    if (this.#streams.has(key)) return;
    const stream = new EventStream(
      {
        request: (lastEventId, signal) => this.#requestStream(key, lastEventId, signal),
        deliver: (data) => this.#deliver(toLine(data), key),
        uncertain: (error) => this.#refuseCalls(key, error),
        lost: (error) => this.#lost(key, error, stream.lastEventId),
      },
      this.#retry,
      this.#maxChars,
      after,
    );
    this.#streams.set(key, stream);
    try {
      await stream.open();
      this.#lostAt.delete(key);
    } catch (error) {
      if (this.#streams.get(key) === stream) this.#streams.delete(key);
      throw error;
    }
  }

  #lost(key: string, error: Error, lastEventId: string | undefined): void {
    this.#streams.delete(key);
    if (key !== CONNECTION_STREAM) {
      this.#lostAt.set(key, lastEventId);
      return this.#refuseCalls(key, error);
    }
    const isGone = error instanceof HttpStatusError && error.status === 404;
    if (isGone) this.#end({ kind: "ended", text: "the server no longer knows the connection" });
    else this.fail(error);
  }

  /** Answers the open requests of a stream: their answers may have been lost with it. */
  #refuseCalls(key: string, error: Error): void {
    for (const call of this.#calls.values()) {
      if ((call.sessionId ?? CONNECTION_STREAM) === key) this.#refuse(call, error);
    }
  }

  async #deliver(line: string, key: string | undefined): Promise<void> {
    if (line === "" || this.#isOver) return;
    const route = routeOf(line);
    if (route?.kind === "request" && key !== undefined && key !== CONNECTION_STREAM) {
      this.#asked.set(route.id, key);
    }
    const call = route?.kind === "response" ? this.#calls.get(route.id) : undefined;
    if (call) {
      this.#calls.delete(call.id);
      // The stream is requested before the answer is passed on, so that no update is missed.
      await this.#answered(call, route);
    }
    this.push(line);
    if (!this.isHeld || this.#isOver) return;
    this.#room ??= deferred();
    await this.#room.promise;
  }

  async #answered(call: MessageRoute, answer: MessageRoute | undefined): Promise<void> {
    const opened = OPENING_METHODS.has(call.method ?? "") ? call.sessionId : undefined;
    const sessionId = answer?.createdSessionId ?? opened;
    if (sessionId !== undefined) {
      await this.#follow(sessionId, "0").catch((error: unknown) => {
        if (!this.#isOver) this.#lost(sessionId, toError(error), "0");
      });
    }
    if (ENDING_METHODS.has(call.method ?? "") && call.sessionId !== undefined) {
      this.#streams.get(call.sessionId)?.close();
      this.#streams.delete(call.sessionId);
      this.#lostAt.delete(call.sessionId);
    }
  }

  #requestStream(
    key: string,
    lastEventId: string | undefined,
    signal: AbortSignal,
  ): Promise<Response> {
    const headers = {
      accept: "text/event-stream",
      ...(key === CONNECTION_STREAM ? {} : { [HEADERS.session]: key }),
      ...(lastEventId === undefined ? {} : { [HEADERS.lastEvent]: lastEventId }),
    };
    return this.#request({ method: "GET", headers, signal });
  }

  async #request({ method, headers, body, signal }: TransportRequest): Promise<Response> {
    if (this.#isOver && method !== "DELETE") throw new ChannelClosedError();
    const id = this.#connectionId;
    const cookie = this.#cookies.header();
    const response = await this.#fetch(this.#url, {
      method,
      headers: {
        ...this.#headers,
        ...(cookie === undefined ? {} : { cookie }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(id === undefined ? {} : { [HEADERS.connection]: id }),
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
      // The end of the connection is posted after everything else was aborted.
      ...(method === "DELETE" ? {} : { signal: signal ?? this.#controller.signal }),
      // A redirect would carry the token to another server.
      redirect: "error",
    });
    this.#cookies.store(response.headers);
    return response;
  }
}

interface TransportRequest {
  readonly method: "POST" | "GET" | "DELETE";
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Load balancers use few cookies. */
const MAX_COOKIES = 32;
const MAX_CHARS = 4096;

/**
 * The cookies of one server, which the transport has to return so that all requests of a connection reach
 * the same machine. Browsers keep their own and show none of them.
 */
export class CookieJar {
  readonly #cookies = new Map<string, string>();

  store(headers: Headers): void {
    for (const cookie of headers.getSetCookie?.() ?? []) this.#set(cookie);
  }

  /** The header to send; undefined if there are no cookies. */
  header(): string | undefined {
    if (this.#cookies.size === 0) return undefined;
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  }

  #set(cookie: string): void {
    const [pair = "", ...attributes] = cookie.split(";");
    const at = pair.indexOf("=");
    const name = pair.slice(0, at).trim();
    const value = pair.slice(at + 1).trim();
    if (at < 1 || name === "" || cookie.length > MAX_CHARS) return;
    this.#cookies.delete(name);
    if (attributes.some(isExpired)) return;
    if (this.#cookies.size < MAX_COOKIES) this.#cookies.set(name, value);
  }
}

function isExpired(attribute: string): boolean {
  const [name = "", value = ""] = attribute.split("=").map((part) => part.trim());
  if (name.toLowerCase() === "max-age") return Number(value) <= 0;
  return name.toLowerCase() === "expires" && Date.parse(value) <= Date.now();
}
