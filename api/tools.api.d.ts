// The public interface of `dragoman/tools`, written by `npm run docs`.

export interface AcpToolEndpoint {
  readonly type: "acp";
  readonly name: string;
  readonly handle: (request: ToolServerRequest) => Promise<JsonObject>;
}

export interface BridgeCommand {
  readonly command: string;
  readonly args: readonly string[];
}

export type FromJsonSchema<S> =
  S extends Readonly<Record<"const", infer C>>
    ? C
    : S extends Readonly<Record<"enum", readonly (infer E)[]>>
      ? E
      : S extends Readonly<Record<"anyOf", readonly (infer A)[]>>
        ? FromJsonSchema<A>
        : S extends Readonly<Record<"oneOf", readonly (infer A)[]>>
          ? FromJsonSchema<A>
          : S extends Readonly<Record<"type", infer T>>
            ? FromJsonSchemaType<T extends readonly (infer One)[] ? One : T, S>
            : unknown;

export type FromJsonSchemaProperties<P, R> = {
  -readonly [K in keyof P as K extends R ? K : never]: FromJsonSchema<P[K]>;
} & {
  -readonly [K in keyof P as K extends R ? never : K]?: FromJsonSchema<P[K]> | undefined;
};

export type FromJsonSchemaType<T, S> = T extends "string"
  ? string
  : T extends "number" | "integer"
    ? number
    : T extends "boolean"
      ? boolean
      : T extends "null"
        ? null
        : T extends "array"
          ? S extends Readonly<Record<"items", infer I>>
            ? FromJsonSchema<I>[]
            : unknown[]
          : T extends "object"
            ? S extends Readonly<Record<"properties", infer P>>
              ? FromJsonSchemaProperties<
                  P,
                  S extends Readonly<Record<"required", readonly (infer R)[]>> ? R : never
                >
              : Record<string, unknown>
            : unknown;

export interface HttpToolEndpoint {
  readonly type: "http";
  readonly name: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export type JsonObject = {
  readonly [key: string]: unknown;
};

export interface OpenToolServer<
  Endpoint extends ToolEndpoint = ToolEndpoint,
> extends AsyncDisposable {
  readonly endpoint: Endpoint;
  cancelCalls(until?: Promise<unknown>): void;
  close(): Promise<void>;
}

export interface OpenToolServerOptions {
  readonly onActive?: ((active: boolean) => void) | undefined;
}

export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (
      value: unknown,
    ) => StandardSchemaResult<Output> | Promise<StandardSchemaResult<Output>>;
    readonly types?:
      | {
          readonly input: Input;
          readonly output: Output;
        }
      | undefined;
    readonly jsonSchema?:
      | {
          readonly input: (options: {
            readonly target: "draft-2020-12";
          }) => Record<string, unknown>;
        }
      | undefined;
  };
}

export interface StandardSchemaIssue {
  readonly message: string;
  readonly path?:
    | readonly (
        | PropertyKey
        | {
            readonly key: PropertyKey;
          }
      )[]
    | undefined;
}

export type StandardSchemaResult<Output> =
  | {
      readonly value: Output;
      readonly issues?: undefined;
    }
  | {
      readonly issues: readonly StandardSchemaIssue[];
    };

export interface StdioToolEndpoint {
  readonly type: "stdio";
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface Tool {
  readonly name: string;
  readonly title: string | undefined;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly hints: ToolHints | undefined;
  call(args: unknown, options?: ToolCallOptions): Promise<ToolOutput>;
}

export type ToolArguments<Input> =
  Input extends StandardSchema<unknown, infer Output> ? Output : FromJsonSchema<Input>;

export interface ToolCallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ToolRun["progress"] | undefined;
}

export type ToolContentBlock =
  | {
      readonly type: "text";
      readonly text: string;
    }
  | {
      readonly type: "image" | "audio";
      readonly data: string;
      readonly mimeType: string;
    }
  | {
      readonly type: "resource_link";
      readonly uri: string;
      readonly name: string;
      readonly mimeType?: string | undefined;
    };

export interface ToolDefinition<Input extends ToolInput> {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description: string;
  readonly input: Input;
  readonly jsonSchema?: JsonObject | undefined;
  readonly hints?: ToolHints | undefined;
  readonly run: (args: ToolArguments<Input>, run: ToolRun) => ToolReturn | PromiseLike<ToolReturn>;
}

export type ToolEndpoint = AcpToolEndpoint | HttpToolEndpoint | StdioToolEndpoint;

export interface ToolHints {
  readonly readOnlyHint?: boolean | undefined;
  readonly destructiveHint?: boolean | undefined;
  readonly idempotentHint?: boolean | undefined;
  readonly openWorldHint?: boolean | undefined;
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

export interface ToolServerRequest {
  readonly method: string;
  readonly params: JsonObject | undefined;
  readonly signal: AbortSignal;
  readonly notify: (method: string, params?: JsonObject) => Promise<void>;
}

export type ToolTransport = "acp" | "http" | "stdio";

export declare function defineTool<const Input extends ToolInput>(
  definition: ToolDefinition<Input>,
): Tool;

export declare function toolServer(options: ToolServerOptions): ToolServer;
