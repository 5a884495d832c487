/** `dragoman/fleet`: run sessions on many machines, joined by NATS or in memory. */
export * from "../host/fleet/public.ts";
export * from "../host/hub/public-hub.ts";
export { RpcError } from "../transport/rpc/index.ts";
export type { AsyncStream, JsonObject, Overrides, ExitStatus } from "../base/index.ts";
export type { Channel, CloseReason } from "../transport/wire/index.ts";
