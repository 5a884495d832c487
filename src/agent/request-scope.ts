import type { Meta } from "../acp/index.ts";
import type { Client } from "./connection/client-link.ts";

/** A value, or a promise of it. */
export type Awaitable<T> = T | Promise<T>;

/** Passed to every request handler. */
export interface RequestScope {
  /** The client that sent the request. */
  readonly client: Client;
  /** The request's `_meta`; empty if the client sent none. */
  readonly meta: Meta;
  /** Aborted when the client cancels the request or disconnects. */
  readonly signal: AbortSignal;
}

/** The answer to a request whose result has no fields. */
export interface EmptyAnswer {
  /** Sent as the `_meta` of the answer. */
  readonly meta?: Meta | undefined;
}
