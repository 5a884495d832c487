/** What `dragoman/tools` publishes. */
export * from "./public-server.ts";
export { toolServer, type ToolServerOptions } from "./server.ts";
export * from "./tool.ts";
export type { BridgeCommand } from "./transports/bridge.ts";
