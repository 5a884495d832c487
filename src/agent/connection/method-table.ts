import type { ParamsOf } from "../../acp/index.ts";
import type { RequestContext } from "../../rpc/index.ts";
import type { RequestScope } from "../request-scope.ts";

/** Answers the requests of one method. */
export type MethodHandler = (params: unknown, context: RequestContext) => unknown;

/** Answers the requests of one method, with checked params. */
export type Handler<M extends keyof ParamsOf> = (
  params: ParamsOf[M],
  context: RequestContext,
) => unknown;

/** Adds a method to the table, if the agent offers it. */
export type On = <M extends keyof ParamsOf>(
  method: M,
  offered: boolean,
  handler: Handler<M>,
) => void;

/** The helpers with which methods are added to the table. */
export interface MethodTable {
  /** For methods that work without a sign-in. */
  readonly on: On;
  /** For methods that need a signed-in user. */
  readonly onSession: On;
  /** The scope of a request. */
  readonly scope: (context: RequestContext, params?: unknown) => RequestScope;
}
