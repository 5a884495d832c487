/** `dragoman/tools`: tools in this process that agents can call. */
export {
  defineTool,
  type Tool,
  type ToolDefinition,
  type ToolInput,
  type ToolOutput,
  type ToolReturn,
  type ToolRun,
  type ToolServer,
  ToolServerError,
  toolServer,
  type ToolServerOptions,
} from "../tools/index.ts";
