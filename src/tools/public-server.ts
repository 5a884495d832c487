/** What every entry publishes that accepts tool servers. */
export type { ToolServerRequest } from "./mcp.ts";
export type {
  AcpToolEndpoint,
  HttpToolEndpoint,
  OpenToolServer,
  OpenToolServerOptions,
  StdioToolEndpoint,
  ToolEndpoint,
  ToolServer,
  ToolTransport,
} from "./server.ts";
