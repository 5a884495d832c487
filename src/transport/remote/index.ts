/** ACP over WebSocket and over streamable HTTP, for both ends. */
export * from "./public.ts";
export { remoteAddress } from "./connect.ts";
export { createHttpServer, hostInUrl, limitSockets, listenOn } from "./server/listen.ts";
