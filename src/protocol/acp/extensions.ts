import { type CallOptions, RpcCode, RpcError } from "../../transport/rpc/index.ts";
import { toError } from "../../base/index.ts";

/** A method outside the protocol. The underscore marks it as an extension. */
export type ExtensionMethod = `_${string}`;

/** Whether a method's name marks it as an extension. */
export function isExtension(method: string): method is ExtensionMethod {
  return method.startsWith("_");
}

/** A call whose answer is parsed. */
export interface ParsedCallOptions<T> extends CallOptions {
  /** Turns the answer into the call's value. If it throws, the call rejects with that error. */
  readonly parse: (result: unknown) => T;
}

/**
 * A handler of extension messages that gets parsed params, for example with `schema.parse` of a
 * validation library. If `parse` throws, a request is answered with -32602 and the error's message, and a
 * notification is only logged.
 */
export function withParams<P, Rest extends unknown[], R>(
  parse: (params: unknown) => P,
  handler: (params: P, ...rest: Rest) => R,
): (params: unknown, ...rest: Rest) => R {
  return (params, ...rest) => {
    let parsed: P;
    try {
      parsed = parse(params);
    } catch (error) {
      throw new RpcError(RpcCode.invalidParams, `Invalid params: ${toError(error).message}`);
    }
    return handler(parsed, ...rest);
  };
}
