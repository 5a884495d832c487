/** What both `dragoman` and `dragoman/agent` publish. */
export { CallCancelledError, ConnectionError, RemoteError, RpcError } from "./errors.ts";
export type { ErrorObject } from "./messages.ts";
export type { CallOptions } from "./outbound.ts";
