import {
  callSafely,
  decodeLine,
  isJsonObject,
  isList,
  isThenable,
  type JsonObject,
  log,
  type Logger,
  MAX_FRAME_DEPTH,
  parseJsonObject,
  quiet,
  redactText,
} from "../../base/index.ts";
import type { Channel, CloseReason } from "../wire/index.ts";
import { Backlog, type Release } from "./inbox.ts";
import {
  plainEnvelope,
  type Envelope,
  classifyMessage,
  isJsonRpcMessage,
  RpcCode,
  type ErrorObject,
  type RequestId,
} from "./messages.ts";
import {
  CallCancelledError,
  ConnectionError,
  RemoteError,
  RpcError,
  toErrorObject,
} from "./errors.ts";
import { InboundRequests, type RequestContext } from "./inbound.ts";
import {
  OutboundCall,
  OutboundCalls,
  type AcceptingCallOptions,
  type CallOptions,
} from "./outbound.ts";
import { RequestLoad, type RequestLimits, TOO_MANY_REQUESTS } from "./request-load.ts";
import type { Rewriter } from "./rewriter.ts";

export interface PeerHandlers {
  /**
   * Answers a request. Called in wire order, without waiting for earlier responses. If it throws, the
   * other side gets an error response: an RpcError unchanged, anything else as an internal error.
   */
  request?(method: string, params: unknown, context: RequestContext): unknown;
  /** Handles a notification, in wire order. `size`: the length of its line. Errors are logged. */
  notification?(method: string, params: unknown, size: number): void;
  /** Called with an error response that names no call (`id: null`). */
  orphanError?(error: RemoteError): void;
  /** Called with a line, or part of one, that is not a message and was skipped. */
  skipped?(text: string): void;
}

export interface PeerOptions {
  readonly handlers?: PeerHandlers;
  readonly envelope?: Envelope;
  readonly rewriter?: Rewriter;
  readonly logger?: Logger | undefined;
  /**
   * The reaction to a line that is not a message. A client ignores it, because agents print stray
   * output. An agent answers it with an error, as JSON-RPC requires. Default: `ignore`.
   */
  readonly malformed?: "ignore" | "answer";
  /** How many requests of the other side may be unanswered. Tests lower the limits. */
  readonly requestLimits?: Partial<RequestLimits>;
  /**
   * How many sent characters may be unread before reading is held. Default: 64 MiB, because an agent
   * that writes blockingly may ask for many files before it reads the first.
   */
  readonly holdAboveUnread?: number;
}

export interface PeerStats {
  /** Lines, or parts of lines, that were not messages. */
  noise: number;
  /** Responses to unknown calls, or to calls that had already settled. */
  strayResponses: number;
}

/** The default of `holdAboveUnread`: 64 MiB. */
const HOLD_ABOVE_UNREAD_CHARS = 64 * 1024 * 1024;

/**
 * One side of a JSON-RPC connection. It makes calls and answers them.
 *
 * Order is guaranteed: notifications and requests are delivered in wire order, and a response settles
 * its call only after every earlier frame was delivered. Closing settles everything: each pending
 * call rejects with a ConnectionError, and each running handler is aborted.
 */
export class Peer {
  readonly closed: Promise<CloseReason>;
  readonly stats: PeerStats = { noise: 0, strayResponses: 0 };
  readonly #channel: Channel;
  readonly #handlers: PeerHandlers;
  readonly #envelope: Envelope;
  readonly #rewriter: Rewriter | undefined;
  readonly #logger: Logger | undefined;
  readonly #answersMalformed: boolean;
  readonly #outbound = new OutboundCalls();
  readonly #inbound: InboundRequests;
  readonly #backlog: Backlog;
  #calls = 0;
  #holds = 0;
  #hasReceived = false;
  #closeReason: CloseReason | undefined;

  constructor(channel: Channel, options: PeerOptions = {}) {
    this.#channel = channel;
    this.#handlers = options.handlers ?? {};
    this.#envelope = options.envelope ?? plainEnvelope;
    this.#rewriter = options.rewriter;
    this.#logger = options.logger;
    this.#answersMalformed = options.malformed === "answer";
    this.#inbound = new InboundRequests(
      (method, params, context) =>
        options.handlers?.request
          ? options.handlers.request(method, params, context)
          : throwMethodNotFound(method),
      {
        result: (id, result) => this.#post(this.#envelope.result(id, result)),
        error: (id, error) => this.#post(this.#envelope.error(id, error)),
        unwritable: (id, failure) => this.#sendError(id, toErrorObject(failure, false)),
        refused: (id, method) => {
          log(this.#logger, "warn", "refused a request: too many are unanswered", { method });
          this.#answerWithError(id, TOO_MANY_REQUESTS, "Too many unanswered requests");
        },
      },
      new RequestLoad(() => this.hold(), options.requestLimits),
    );
    this.#backlog = new Backlog(
      () => this.hold(),
      options.holdAboveUnread ?? HOLD_ABOVE_UNREAD_CHARS,
    );
    this.closed = channel.closed.then((reason) => this.#settleAll(reason));
    options.rewriter?.connect?.({
      toWire: (message) => void quiet(this.#sendLine(JSON.stringify(message))),
      toHandlers: (message) => this.#dispatch(message, ""),
    });
    channel.open((line) => this.#receive(line));
  }

  /** Why the connection is closed or closing; undefined while it is open. Set before any call fails. */
  get closeReason(): CloseReason | undefined {
    return this.#closeReason;
  }

  /** Whether the other side has sent any message. */
  get hasReceived(): boolean {
    return this.#hasReceived;
  }

  /** How many sent characters are not yet read by the other side. */
  get unreadChars(): number {
    return this.#backlog.chars;
  }

  /**
   * Calls a method on the other side. Rejects with RemoteError (it answered with an error),
   * ConnectionError (the connection closed first) or CallCancelledError (the signal was aborted). Not
   * awaiting it is safe.
   */
  call<T>(method: string, params: unknown, options: AcceptingCallOptions<T>): Promise<T>;
  call(method: string, params?: unknown, options?: CallOptions): Promise<unknown>;
  call(
    method: string,
    params?: unknown,
    options: Partial<AcceptingCallOptions<unknown>> = {},
  ): Promise<unknown> {
    const answered = new Promise<unknown>((resolve, reject) => {
      const { signal } = options;
      const call = new OutboundCall(method, options, resolve, reject);
      if (this.#closeReason) return call.fail(new ConnectionError(this.#closeReason, method));
      if (signal?.aborted) return call.fail(new CallCancelledError(method, signal.reason));
      const id = this.#envelope.requestId(++this.#calls);
      this.#outbound.add(id, call);
      if (signal) this.#outbound.cancelOn(signal, id, call, () => this.#notifyCancelled(id));
      try {
        this.#post(this.#envelope.request(id, method, params));
      } catch (error) {
        this.#outbound.take(id)?.fail(error);
      }
    });
    return quiet(answered);
  }

  /**
   * Sends a notification. Awaiting the promise applies backpressure: it resolves when the pipe can
   * take more, and rejects with ConnectionError if the connection is closed. Not awaiting it is safe.
   */
  notify(method: string, params?: unknown): Promise<void> {
    if (this.#closeReason)
      return quiet(Promise.reject(new ConnectionError(this.#closeReason, method)));
    try {
      const sent = this.#send(this.#envelope.notification(method, params));
      return quiet(sent.catch(() => this.#failWhenClosed(method)));
    } catch (error) {
      return quiet(Promise.reject(error));
    }
  }

  /** Holds reading until every hold is released. Frames already read may still be delivered. */
  hold(): Release {
    if (this.#holds++ === 0) this.#channel.pause();
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      if (--this.#holds === 0) this.#channel.resume();
    };
  }

  /** Closes the connection. Pending calls reject at once, before the channel closes. */
  close(): Promise<CloseReason> {
    this.#settleAll({ kind: "closed" });
    return this.#channel.close();
  }

  #receive(line: string): void {
    const frame = parseJsonObject(line);
    if (frame) this.#deliver(frame, line);
    else this.#receiveUnusual(line);
  }

  #receiveUnusual(line: string): void {
    const decoded = decodeLine(line);
    switch (decoded.kind) {
      case "frame":
        if (decoded.skipped !== "") this.#countSkipped(decoded.skipped);
        this.#deliver(decoded.frame, line);
        return;
      case "batch":
        if (this.#answersMalformed || decoded.frames.some(isJsonRpcMessage)) {
          this.#answerWithError(null, RpcCode.invalidRequest, "Batches are not supported");
        } else {
          this.#countSkipped(line);
        }
        return;
      case "noise":
        if (decoded.tooDeep) {
          const fault = `The message is nested deeper than ${MAX_FRAME_DEPTH} levels`;
          return this.#skip(decoded.tooDeep, line, new RpcError(RpcCode.invalidRequest, fault));
        }
        this.#countSkipped(line);
        if (!this.#answersMalformed) return;
        if (decoded.isJson) this.#answerWithError(null, RpcCode.invalidRequest, "Invalid request");
        else this.#answerWithError(null, RpcCode.parseError, "Parse error");
    }
  }

  #deliver(frame: JsonObject, line: string): void {
    const rewriter = this.#rewriter;
    if (!rewriter) return this.#dispatch(frame, line);
    let read: ReturnType<Rewriter["read"]>;
    try {
      read = rewriter.read(frame);
    } catch (error) {
      return this.#skip(frame, line, error);
    }
    if (read === undefined) return;
    if (isList(read)) for (const one of read) this.#dispatch(one, line);
    else this.#dispatch(read, line);
  }

  #dispatch(frame: JsonObject, line: string): void {
    const { method } = frame;
    // Most frames are notifications, so they are passed on without allocating an object.
    if (typeof method === "string" && frame["id"] === undefined) {
      this.#hasReceived = true;
      return this.#receiveNotification(method, frame["params"], line.length);
    }
    const message = classifyMessage(frame);
    if (message.kind !== "invalid") this.#hasReceived = true;
    switch (message.kind) {
      case "notification":
        this.#receiveNotification(message.method, message.params, line.length);
        return;
      case "request":
        this.#inbound.serve(message.id, message.method, message.params, line.length);
        return;
      case "result":
        this.#take(message.id)?.settle(message.result);
        return;
      case "error":
        this.#fail(message.id, message.error);
        return;
      case "invalid":
        this.#countSkipped(line);
        if (this.#answersMalformed)
          this.#answerWithError(message.id, RpcCode.invalidRequest, "Invalid request");
    }
  }

  /**
   * Skips a message that cannot be delivered: it is nested too deeply, or the rewriter failed on it.
   * Requests are answered and calls fail, so that neither side waits forever.
   */
  #skip(frame: JsonObject, line: string, error: unknown): void {
    this.#countSkipped(line);
    const message = classifyMessage(frame);
    switch (message.kind) {
      case "request":
        this.#sendError(message.id, toErrorObject(error, false));
        return;
      case "result":
      case "error":
        this.#take(message.id)?.fail(error);
        return;
      case "invalid":
        if (this.#answersMalformed) this.#sendError(message.id, toErrorObject(error, false));
        return;
      case "notification":
    }
  }

  #receiveNotification(method: string, params: unknown, size: number): void {
    if (method === this.#envelope.cancelMethod) {
      if (isJsonObject(params)) this.#inbound.cancel(params["requestId"]);
      return;
    }
    try {
      const done: unknown = this.#handlers.notification?.(method, params, size);
      if (isThenable(done)) done.then(undefined, (error) => this.#logFailure(method, error));
    } catch (error) {
      this.#logFailure(method, error);
    }
  }

  #logFailure(method: string, error: unknown): void {
    log(this.#logger, "error", "notification handler failed", { method, error });
  }

  #take(id: RequestId): OutboundCall | undefined {
    const call = this.#outbound.take(id);
    if (!call) this.stats.strayResponses++;
    return call;
  }

  #fail(id: RequestId, error: ErrorObject): void {
    if (id !== null) {
      const call = this.#take(id);
      call?.fail(new RemoteError(error, call.method));
      return;
    }
    log(this.#logger, "warn", "error response names no call", {
      code: error.code,
      message: error.message,
    });
    callSafely(() => this.#handlers.orphanError?.(new RemoteError(error)));
  }

  #notifyCancelled(id: RequestId): void {
    const { cancelMethod } = this.#envelope;
    if (cancelMethod !== undefined) void this.notify(cancelMethod, { requestId: id });
  }

  #answerWithError(id: RequestId, code: number, message: string): void {
    this.#sendError(id, { code, message });
  }

  /** If the error cannot be serialized either, it is only logged. */
  #sendError(id: RequestId, error: ErrorObject): void {
    try {
      this.#post(this.#envelope.error(id, error));
    } catch (failure) {
      log(this.#logger, "error", "could not write a response", { error: failure });
    }
  }

  /** A notification on a channel that closes meanwhile rejects with the close reason, as calls do. */
  async #failWhenClosed(method: string): Promise<never> {
    throw new ConnectionError(await this.closed, method);
  }

  /** Sends without backpressure. If the channel is closed, `closed` settles everything. */
  #post(message: JsonObject): void {
    void quiet(this.#send(message));
  }

  /** Throws only if the message cannot be serialized as JSON, or the rewriter throws. */
  #send(message: JsonObject): Promise<void> {
    const written = this.#rewriter ? this.#rewriter.write(message) : message;
    if (written === undefined) return Promise.resolve();
    if (!isList(written)) return this.#sendLine(JSON.stringify(written));
    let sent = Promise.resolve();
    for (const one of written) sent = this.#sendLine(JSON.stringify(one));
    return sent;
  }

  #sendLine(line: string): Promise<void> {
    const sent = this.#channel.send(line);
    this.#backlog.add(sent, line.length);
    return sent;
  }

  #countSkipped(text: string): void {
    this.stats.noise++;
    log(this.#logger, "warn", "line is not a protocol message", {
      line: redactText(text.slice(0, SHOWN_NOISE_CHARS)),
      count: this.stats.noise,
    });
    callSafely(() => this.#handlers.skipped?.(text));
  }

  #settleAll(reason: CloseReason): CloseReason {
    if (this.#closeReason) return reason;
    this.#closeReason = reason;
    this.#outbound.failAll(reason);
    this.#inbound.abortAll(new ConnectionError(reason));
    return reason;
  }
}

/** How much of a line that is not a message is logged. */
const SHOWN_NOISE_CHARS = 500;

function throwMethodNotFound(method: string): never {
  throw RpcError.methodNotFound(method);
}
