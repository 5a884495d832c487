import { RpcError } from "../rpc/index.ts";
import type { GateLike } from "./gate-contract.ts";
export function createGate(_options: object): GateLike {
  return {
    capabilities: {},
    request: (method) => Promise.reject(RpcError.methodNotFound(method)),
    notification: () => false,
    closeSession: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}
