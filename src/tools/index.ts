/** `dragoman/tools`: tools in this process that agents can call. */
export type { ToolServerRequest } from "./mcp.ts";
export type {
  HttpToolEndpoint,
  OpenToolServer,
  StdioToolEndpoint,
  ToolEndpoint,
  ToolServer,
  ToolTransport,
} from "./server.ts";
export { toolServer, type ToolServerOptions } from "./server.ts";
export * from "./tool.ts";
export { runToolBridge } from "./transports/bridge-program.ts";
