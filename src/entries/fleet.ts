/** `dragoman/fleet`: run sessions on many machines, joined by NATS or in memory. */
export * from "../fleet/public.ts";
export * from "../hub/public-hub.ts";
export { RpcError } from "../rpc/index.ts";
export type {
  AsyncStream,
  Channel,
  CloseReason,
  ExitStatus,
  JsonObject,
  Overrides,
} from "../wire/index.ts";
