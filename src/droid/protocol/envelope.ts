import { type Envelope, RpcCode } from "../../rpc/index.ts";

/** The only value Droid accepts; any other makes it answer with an error that names no call. */
const FACTORY_API_VERSION = "1.0.0";

/**
 * The codes Droid accepts in an answer of ours. Any other hangs its turn: 0.225.2 and 0.99.0 refuse
 * the frame, and go on waiting for one they like.
 */
const ACCEPTED_CODES: ReadonlySet<number> = new Set([
  -32700, -32600, -32601, -32602, -32603, -32001, -32004, -32005,
]);

/**
 * Droid's dress for JSON-RPC: the type is spelled out, on responses too, and ids are strings.
 * `onRequestId` learns each id as it is given out: Droid's echo of a prompt names it.
 */
export function droidEnvelope(onRequestId: (id: string) => void): Envelope {
  const head = { jsonrpc: "2.0", factoryApiVersion: FACTORY_API_VERSION };
  return {
    requestId: (n) => {
      const id = String(n);
      onRequestId(id);
      return id;
    },
    request: (id, method, params) => ({ ...head, type: "request", id, method, params }),
    notification: (method, params) => ({ ...head, type: "notification", method, params }),
    result: (id, result) => ({ ...head, type: "response", id, result }),
    error: (id, error) => {
      const code = ACCEPTED_CODES.has(error.code) ? error.code : RpcCode.internalError;
      return { ...head, type: "response", id, error: { ...error, code } };
    },
  };
}
