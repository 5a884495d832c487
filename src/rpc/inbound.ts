import { isThenable } from "../wire/index.ts";
import { CallCancelledError, toErrorObject } from "./errors.ts";
import type { ErrorObject, RequestId } from "./messages.ts";

/** What a request handler gets besides the params. */
export interface RequestContext {
  readonly id: RequestId;
  /** Aborted when the other side cancels the request, or the connection closes. */
  readonly signal: AbortSignal;
}

/** A request of the other side that is being answered. */
class InboundRequest implements RequestContext {
  readonly id: RequestId;
  cancelled = false;
  /** Made only when somebody looks: most handlers never do, and making one costs more than a call. */
  #controller: AbortController | undefined;

  constructor(id: RequestId) {
    this.id = id;
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

/** How an answer reaches the other side. */
export interface Answers {
  /** Throws where it cannot be written as JSON, as `error` does. */
  result(id: RequestId, result: unknown): void;
  error(id: RequestId, error: ErrorObject): void;
  /** The answer could not be written; the other side is owed one all the same. Never throws. */
  unwritable(id: RequestId, failure: unknown): void;
}

/** Answers a request, now or later. What it throws, or rejects with, becomes the error answer. */
export type RequestHandler = (method: string, params: unknown, context: RequestContext) => unknown;

/** The requests of the other side that are being answered, side by side. Each is answered once. */
export class InboundRequests {
  readonly #handler: RequestHandler;
  readonly #answers: Answers;
  readonly #running = new Set<InboundRequest>();
  #over = false;

  constructor(handler: RequestHandler, answers: Answers) {
    this.#handler = handler;
    this.#answers = answers;
  }

  serve(id: RequestId, method: string, params: unknown): void {
    const request = new InboundRequest(id);
    if (!this.#over) this.#running.add(request);
    try {
      const result = this.#handler(method, params, request);
      if (isThenable(result))
        result.then(
          (value) => this.#answer(request, value),
          (error) => this.#refuse(request, error),
        );
      else this.#answer(request, result);
    } catch (error) {
      this.#refuse(request, error);
    }
  }

  /** The other side no longer wants the answer. */
  cancel(id: unknown): void {
    for (const request of this.#running) if (request.id === id) request.cancel();
  }

  /** The connection is gone: whatever handlers still answer goes nowhere. */
  abortAll(reason: Error): void {
    this.#over = true;
    const running = [...this.#running];
    this.#running.clear();
    for (const request of running) request.abort(reason);
  }

  #answer(request: InboundRequest, result: unknown): void {
    if (result === undefined && request.cancelled) this.#refuse(request, undefined);
    else this.#respond(request, (id) => this.#answers.result(id, toResult(result)));
  }

  #refuse(request: InboundRequest, error: unknown): void {
    const told = toErrorObject(error, request.cancelled);
    this.#respond(request, (id) => this.#answers.error(id, told));
  }

  #respond(request: InboundRequest, write: (id: RequestId) => void): void {
    if (!this.#running.delete(request)) return;
    try {
      write(request.id);
    } catch (failure) {
      this.#answers.unwritable(request.id, failure);
    }
  }
}

/** No result is null. What JSON has no word for would leave the answer without a result. */
function toResult(result: unknown): unknown {
  if (result === undefined || result === null) return null;
  const mayBeNothing =
    typeof result === "function" ||
    typeof result === "symbol" ||
    (typeof result === "object" && "toJSON" in result);
  if (mayBeNothing && JSON.stringify(result) === undefined)
    throw new TypeError("the result cannot be written as JSON");
  return result;
}
