/** ACP over WebSocket and over streamable HTTP, for both ends. */
export * from "./public.ts";
export { remoteAddress } from "./connect.ts";
export { createHttpServer, inAddress, limitSockets, listening } from "./server/listen.ts";
