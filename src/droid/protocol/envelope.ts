import { type Envelope, RpcCode } from "../../transport/rpc/index.ts";

/** The only value Droid accepts. It answers any other with an error that has no request id. */
const FACTORY_API_VERSION = "1.0.0";

/**
 * The error codes Droid accepts in a response. Any other code hangs its turn: 0.225.2 and 0.99.0
 * discard the frame and keep waiting for a valid one.
 */
const ACCEPTED_CODES: ReadonlySet<number> = new Set([
  -32700, -32600, -32601, -32602, -32603, -32001, -32004, -32005,
]);

/**
 * Droid's variant of JSON-RPC: every frame, including responses, has a `type`, and ids are strings.
 * `onRequestId` receives each id as it is assigned, because Droid's echo of a prompt refers to it.
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
