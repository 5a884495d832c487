import {
  callSafely,
  type Channel,
  type CloseReason,
  decodeLine,
  isJsonObject,
  isList,
  isThenable,
  type JsonObject,
  log,
  type Logger,
  parseFrame,
  quiet,
  redactText,
} from "../wire/index.ts";
import { plainEnvelope, type Envelope } from "./envelope.ts";
import {
  CallCancelledError,
  ConnectionError,
  RemoteError,
  RpcError,
  toErrorObject,
} from "./errors.ts";
import { InboundRequests, type RequestContext } from "./inbound.ts";
import type { Release } from "./inbox.ts";
import {
  classifyMessage,
  isProtocolObject,
  RpcCode,
  type ErrorObject,
  type RequestId,
  type Rewriter,
} from "./messages.ts";
import {
  OutboundCall,
  OutboundCalls,
  type AcceptingCallOptions,
  type CallOptions,
} from "./outbound.ts";

export interface PeerHandlers {
  /**
   * Answers a request. Called in wire order, without waiting for earlier answers. What it throws
   * becomes the error answer: an RpcError as it is, anything else as an internal error.
   */
  request?(method: string, params: unknown, context: RequestContext): unknown;
  /** Takes a notification, in wire order. `size` is the length of its line. It must not throw; if it does, it is logged. */
  notification?(method: string, params: unknown, size: number): void;
  /** An error response that names no call (`id: null`). */
  orphanError?(error: RemoteError): void;
}

export interface PeerOptions {
  readonly handlers?: PeerHandlers;
  readonly envelope?: Envelope;
  readonly rewriter?: Rewriter;
  readonly logger?: Logger | undefined;
  /**
   * What to do with a line that is no message. A client ignores it: agents print things. An agent
   * answers it, as JSON-RPC asks.
   */
  readonly malformed?: "ignore" | "answer";
}

/** What went wrong on a connection without ending it. */
export interface PeerStats {
  /** Lines, or parts of lines, that were no message. */
  noise: number;
  /** Responses to calls that nobody made or that were settled before. */
  strayResponses: number;
}

/**
 * One side of a JSON-RPC connection, calling and called.
 *
 * Order is a promise: notifications and requests are handed over as they stand on the wire, and a
 * response settles its call only after every earlier frame was handed over. Close settles
 * everything: each waiting call rejects with one ConnectionError, each running handler is aborted.
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
  #calls = 0;
  #holds = 0;
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
          : refuseUnknown(method),
      {
        result: (id, result) => void this.#send(this.#envelope.result(id, result)),
        error: (id, error) => void this.#send(this.#envelope.error(id, error)),
        unwritable: (id, failure) => this.#sendError(id, toErrorObject(failure, false)),
      },
    );
    this.closed = channel.closed.then((reason) => this.#settleAll(reason));
    channel.open((line) => this.#receive(line));
  }

  /**
   * Calls a method of the other side. Rejects with RemoteError (it answered with an error),
   * ConnectionError (the connection closed first) or CallCancelledError (the signal was aborted).
   */
  call<T>(method: string, params: unknown, options: AcceptingCallOptions<T>): Promise<T>;
  call(method: string, params?: unknown, options?: CallOptions): Promise<unknown>;
  call(
    method: string,
    params?: unknown,
    options: Partial<AcceptingCallOptions<unknown>> = {},
  ): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const { signal } = options;
      const call = new OutboundCall(method, options, resolve, reject);
      if (this.#closeReason) return call.fail(new ConnectionError(this.#closeReason, method));
      if (signal?.aborted) return call.fail(new CallCancelledError(method, signal.reason));
      const id = this.#envelope.requestId(++this.#calls);
      this.#outbound.add(id, call);
      if (signal) this.#outbound.cancelOn(signal, id, call, () => this.#tellCancelled(id));
      try {
        void this.#send(this.#envelope.request(id, method, params));
      } catch (error) {
        this.#outbound.take(id)?.fail(error);
      }
    });
  }

  /**
   * Sends a notification. The promise is backpressure: it resolves when the pipe can take more, and
   * rejects with ConnectionError if the connection is closed. Not awaiting it is safe.
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

  /** Holds reading until released; several holds add up. Frames already read may still be handed over. */
  hold(): Release {
    if (this.#holds++ === 0) this.#channel.pause();
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      if (--this.#holds === 0) this.#channel.resume();
    };
  }

  /** Closes the connection: what waits rejects at once, then what stands behind the channel is ended. */
  close(): Promise<CloseReason> {
    this.#settleAll({ kind: "closed" });
    return this.#channel.close();
  }

  #receive(line: string): void {
    const frame = parseFrame(line);
    if (frame) this.#deliver(frame, line);
    else this.#receiveOdd(line);
  }

  #receiveOdd(line: string): void {
    const decoded = decodeLine(line);
    switch (decoded.kind) {
      case "frame":
        if (decoded.skipped !== "") this.#countNoise(decoded.skipped);
        this.#deliver(decoded.frame, line);
        return;
      case "batch":
        if (this.#answersMalformed || decoded.frames.some(isProtocolObject)) {
          this.#refuse(null, RpcCode.invalidRequest, "Batches are not supported");
        } else {
          this.#countNoise(line);
        }
        return;
      case "noise":
        this.#countNoise(line);
        if (!this.#answersMalformed) return;
        if (decoded.isJson) this.#refuse(null, RpcCode.invalidRequest, "Invalid request");
        else this.#refuse(null, RpcCode.parseError, "Parse error");
    }
  }

  #deliver(frame: JsonObject, line: string): void {
    const rewriter = this.#rewriter;
    if (!rewriter) return this.#dispatch(frame, line);
    let read: ReturnType<Rewriter["read"]>;
    try {
      read = rewriter.read(frame);
    } catch (error) {
      return this.#giveUpOn(frame, line, error);
    }
    if (read === undefined) return;
    if (isList(read)) for (const one of read) this.#dispatch(one, line);
    else this.#dispatch(read, line);
  }

  #dispatch(frame: JsonObject, line: string): void {
    const { method } = frame;
    // Most frames of a connection are notifications: they pass without an object made for them.
    if (typeof method === "string" && frame["id"] === undefined) {
      return this.#notified(method, frame["params"], line.length);
    }
    const message = classifyMessage(frame);
    switch (message.kind) {
      case "notification":
        this.#notified(message.method, message.params, line.length);
        return;
      case "request":
        this.#inbound.serve(message.id, message.method, message.params);
        return;
      case "result":
        this.#take(message.id)?.settle(message.result);
        return;
      case "error":
        this.#fail(message.id, message.error);
        return;
      case "invalid":
        this.#countNoise(line);
        if (this.#answersMalformed)
          this.#refuse(message.id, RpcCode.invalidRequest, "Invalid request");
    }
  }

  /** A message that the rewriter failed on; whoever waits for it must not wait for ever. */
  #giveUpOn(frame: JsonObject, line: string, error: unknown): void {
    this.#countNoise(line);
    const message = classifyMessage(frame);
    switch (message.kind) {
      case "request":
        this.#sendError(message.id, toErrorObject(error, false));
        return;
      case "result":
      case "error":
        this.#take(message.id)?.fail(error);
        return;
      case "notification":
      case "invalid":
    }
  }

  #notified(method: string, params: unknown, size: number): void {
    if (method === this.#envelope.cancelMethod) {
      if (isJsonObject(params)) this.#inbound.cancel(params["requestId"]);
      return;
    }
    try {
      const done: unknown = this.#handlers.notification?.(method, params, size);
      if (isThenable(done)) done.then(undefined, (error) => this.#noteFailure(method, error));
    } catch (error) {
      this.#noteFailure(method, error);
    }
  }

  #noteFailure(method: string, error: unknown): void {
    log(this.#logger, "error", "a notification handler failed", { method, error });
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
    log(this.#logger, "warn", "an error response names no call", {
      code: error.code,
      message: error.message,
    });
    callSafely(() => this.#handlers.orphanError?.(new RemoteError(error)));
  }

  #tellCancelled(id: RequestId): void {
    const { cancelMethod } = this.#envelope;
    if (cancelMethod !== undefined) void this.notify(cancelMethod, { requestId: id });
  }

  #refuse(id: RequestId, code: number, message: string): void {
    this.#sendError(id, { code, message });
  }

  /** If it cannot be written either, nobody on this side could be told. */
  #sendError(id: RequestId, error: ErrorObject): void {
    try {
      void this.#send(this.#envelope.error(id, error));
    } catch (failure) {
      log(this.#logger, "error", "an answer could not be written", { error: failure });
    }
  }

  /** What was written to a channel that closes meanwhile fails with the reason, as calls do. */
  async #failWhenClosed(method: string): Promise<never> {
    throw new ConnectionError(await this.closed, method);
  }

  /** Throws only where a message cannot be written as JSON. */
  #send(message: JsonObject): Promise<void> {
    const written = this.#rewriter ? this.#rewriter.write(message) : message;
    if (written === undefined) return Promise.resolve();
    if (!isList(written)) return this.#channel.send(JSON.stringify(written));
    let sent = Promise.resolve();
    for (const one of written) sent = this.#channel.send(JSON.stringify(one));
    return sent;
  }

  #countNoise(text: string): void {
    this.stats.noise++;
    log(this.#logger, "warn", "a line is no protocol message", {
      line: redactText(text.slice(0, SHOWN_NOISE_CHARS)),
      count: this.stats.noise,
    });
  }

  #settleAll(reason: CloseReason): CloseReason {
    if (this.#closeReason) return reason;
    this.#closeReason = reason;
    this.#outbound.failAll(reason);
    this.#inbound.abortAll(new ConnectionError(reason));
    return reason;
  }
}

/** How much of a line that is no message is shown to the logger. */
const SHOWN_NOISE_CHARS = 500;

function refuseUnknown(method: string): never {
  throw RpcError.methodNotFound(method);
}
