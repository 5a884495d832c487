import { isThenable } from "../../base/index.ts";
import { CallCancelledError, toErrorObject } from "./errors.ts";
import type { ErrorObject, RequestId } from "./messages.ts";
import type { RequestLoad } from "./request-load.ts";

/** Passed to a request handler in addition to the params. */
export interface RequestContext {
  readonly id: RequestId;
  /** The size of the request, in characters. */
  readonly bytes: number;
  /** Aborted when the other side cancels the request or the connection closes. */
  readonly signal: AbortSignal;
}

class InboundRequest implements RequestContext {
  readonly id: RequestId;
  readonly bytes: number;
  cancelled = false;
  /** Created on first use: most handlers never read it, and it costs more than a call. */
  #controller: AbortController | undefined;

  constructor(id: RequestId, bytes: number) {
    this.id = id;
    this.bytes = bytes;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    return this.#controller.signal;
  }

  cancel(): void {
    this.cancelled = true;
    this.abort(new CallCancelledError("the request", undefined));
  }

  abort(reason: Error): void {
    this.#controller ??= new AbortController();
    this.#controller.abort(reason);
  }
}

export interface Answers {
  /** Throws if the result cannot be serialized as JSON, as does `error`. */
  result(id: RequestId, result: unknown): void;
  error(id: RequestId, error: ErrorObject): void;
  /** Sends an error in place of a response that could not be serialized. Never throws. */
  unwritable(id: RequestId, failure: unknown): void;
  /** Sends the error for a request that is refused, because too many are unanswered. Never throws. */
  refused(id: RequestId, method: string): void;
}

/** Answers a request, now or later. If it throws or rejects, the response is an error. */
export type RequestHandler = (method: string, params: unknown, context: RequestContext) => unknown;

/** The requests from the other side. They run concurrently, and each gets one response. */
export class InboundRequests {
  readonly #handler: RequestHandler;
  readonly #answers: Answers;
  readonly #load: RequestLoad;
  readonly #running = new Set<InboundRequest>();
  #isClosed = false;

  constructor(handler: RequestHandler, answers: Answers, load: RequestLoad) {
    this.#handler = handler;
    this.#answers = answers;
    this.#load = load;
  }

  /** `bytes` is the size of the request's line. */
  serve(id: RequestId, method: string, params: unknown, bytes: number): void {
    if (!this.#load.admits(bytes)) return this.#answers.refused(id, method);
    const request = new InboundRequest(id, bytes);
    if (!this.#isClosed) {
      this.#running.add(request);
      this.#load.add(bytes);
    }
    try {
      const result = this.#handler(method, params, request);
      if (isThenable(result))
        result.then(
          (value) => this.#answer(request, value),
          (error) => this.#fail(request, error),
        );
      else this.#answer(request, result);
    } catch (error) {
      this.#fail(request, error);
    }
  }

  cancel(id: unknown): void {
    for (const request of this.#running) if (request.id === id) request.cancel();
  }

  /** Aborts every running request after the connection closed. Their results are dropped. */
  abortAll(reason: Error): void {
    this.#isClosed = true;
    const running = [...this.#running];
    this.#running.clear();
    this.#load.clear();
    for (const request of running) request.abort(reason);
  }

  #answer(request: InboundRequest, result: unknown): void {
    if (result === undefined && request.cancelled) this.#fail(request, undefined);
    else this.#respond(request, (id) => this.#answers.result(id, toResult(result)));
  }

  #fail(request: InboundRequest, error: unknown): void {
    const sent = toErrorObject(error, request.cancelled);
    this.#respond(request, (id) => this.#answers.error(id, sent));
  }

  #respond(request: InboundRequest, write: (id: RequestId) => void): void {
    if (!this.#running.delete(request)) return;
    this.#load.remove(request.bytes);
    try {
      write(request.id);
    } catch (failure) {
      this.#answers.unwritable(request.id, failure);
    }
  }
}

/**
 * No result becomes null. Throws for a value that JSON cannot represent, such as a function, because
 * the response would then have no `result` at all.
 */
function toResult(result: unknown): unknown {
  if (result === undefined || result === null) return null;
  const mayBeOmitted =
    typeof result === "function" ||
    typeof result === "symbol" ||
    (typeof result === "object" && "toJSON" in result);
  if (mayBeOmitted && JSON.stringify(result) === undefined)
    throw new TypeError("the result cannot be serialized as JSON");
  return result;
}
