/** `dragoman/tools`: tools in this process that agents can call. */
export { ToolServerError, type ToolServerErrorCode } from "./errors.ts";
export type { ToolServerRequest } from "./mcp/core.ts";
export {
  type AcpToolEndpoint,
  type HttpToolEndpoint,
  type OpenToolServer,
  type OpenToolServerOptions,
  type StdioToolEndpoint,
  type ToolEndpoint,
  toolServer,
  type ToolServer,
  type ToolServerOptions,
  type ToolTransport,
} from "./server.ts";
export {
  defineTool,
  type Tool,
  type ToolArguments,
  type ToolCallOptions,
  type ToolContentBlock,
  type ToolDefinition,
  type ToolHints,
  type ToolInput,
  type ToolOutput,
  type ToolReturn,
  type ToolRun,
} from "./tool.ts";
export type { BridgeCommand } from "./transports/bridge.ts";
export { runToolBridge } from "./transports/bridge-program.ts";
