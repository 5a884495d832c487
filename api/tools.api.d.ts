// The public interface of `dragoman/tools`, written by `npm run docs`.

export interface Tool {
  readonly name: string;
  readonly title: string | undefined;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly hints: ToolHints | undefined;
  call(args: unknown, options?: ToolCallOptions): Promise<ToolOutput>;
}

export interface ToolDefinition<Input extends ToolInput> {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description: string;
  readonly input: Input;
  readonly jsonSchema?: JsonObject | undefined;
  readonly hints?: ToolHints | undefined;
  readonly run: (args: ToolArguments<Input>, run: ToolRun) => ToolReturn | PromiseLike<ToolReturn>;
}

export type ToolInput = StandardSchema | JsonObject;

export interface ToolOutput {
  readonly content: readonly ToolContentBlock[];
  readonly structuredContent?: JsonObject | undefined;
  readonly isError?: boolean | undefined;
}

export type ToolReturn =
  | string
  | undefined
  | void
  | {
      readonly content?: readonly ToolContentBlock[] | undefined;
      readonly structuredContent?: JsonObject | undefined;
      readonly isError?: boolean | undefined;
    };

export interface ToolRun {
  readonly signal: AbortSignal;
  readonly progress: (progress: number, total?: number, message?: string) => void;
}

export interface ToolServer {
  readonly type: "tools";
  readonly name: string;
  readonly transport: ToolTransport | undefined;
  open(transport: "acp", options?: OpenToolServerOptions): Promise<OpenToolServer<AcpToolEndpoint>>;
  open(
    transport: "http",
    options?: OpenToolServerOptions,
  ): Promise<OpenToolServer<HttpToolEndpoint>>;
  open(
    transport: "stdio",
    options?: OpenToolServerOptions,
  ): Promise<OpenToolServer<StdioToolEndpoint>>;
  open(transport: ToolTransport, options?: OpenToolServerOptions): Promise<OpenToolServer>;
}

export declare class ToolServerError extends DragomanError {
  readonly name = "ToolServerError";
}

export interface ToolServerOptions {
  readonly name: string;
  readonly tools: readonly Tool[];
  readonly version?: string | undefined;
  readonly instructions?: string | undefined;
  readonly transport?: ToolTransport | undefined;
  readonly maxCalls?: number | undefined;
  readonly bridge?: BridgeCommand | undefined;
}

export declare function defineTool<const Input extends ToolInput>(
  definition: ToolDefinition<Input>,
): Tool;

export declare function toolServer(options: ToolServerOptions): ToolServer;
