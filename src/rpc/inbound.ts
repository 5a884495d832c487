import { CallCancelledError } from "./errors.ts";
import type { RequestId } from "./messages.ts";

/** What a request handler gets besides the params. */
export interface RequestContext {
  readonly id: RequestId;
  /** Aborted when the other side cancels the request, or the connection closes. */
  readonly signal: AbortSignal;
}

/** A request of the other side that is being answered. */
export class InboundRequest implements RequestContext {
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

/** No result is null. What JSON has no word for would leave the answer without a result. */
export function toResult(result: unknown): unknown {
  if (result === undefined || result === null) return null;
  const mayBeNothing =
    typeof result === "function" ||
    typeof result === "symbol" ||
    (typeof result === "object" && "toJSON" in result);
  if (mayBeNothing && JSON.stringify(result) === undefined)
    throw new TypeError("the result cannot be written as JSON");
  return result;
}
