// The public interface of `dragoman/ai`, written by `npm run docs`.

import { LanguageModelV4 } from "@ai-sdk/provider";

export interface AcpCallOptions {
  readonly sessionId?: string | undefined;
}

export interface AcpExistingClient {
  readonly client: AcpClient;
}

export interface AcpFinishMetadata extends AcpPartMetadata {
  readonly stopReason: string;
  readonly plan?: readonly PlanEntry[] | undefined;
  readonly context?: Usage | undefined;
}

export declare class AcpModelError extends AcpProviderError {
  readonly name = "AcpModelError";
  readonly modelId: string;
  readonly modelType: "languageModel" | "embeddingModel" | "imageModel";
  readonly offered: readonly string[];
  constructor(
    modelId: string,
    modelType: "languageModel" | "embeddingModel" | "imageModel",
    message: string,
    offered?: readonly string[],
  );
}

export interface AcpModelSettings {
  readonly sessionId?: string | undefined;
  readonly mode?: string | undefined;
  readonly config?: Readonly<Record<string, string | boolean>> | undefined;
}

export interface AcpNoticeMetadata extends AcpPartMetadata {
  readonly severity: string;
  readonly title: string;
  readonly description: string | null;
}

export interface AcpPartMetadata {
  readonly sessionId: string;
  readonly turnId: string;
}

export interface AcpPlanMetadata extends AcpPartMetadata {
  readonly plan: readonly PlanEntry[];
}

export declare class AcpPromptError extends AcpProviderError {
  readonly name = "AcpPromptError";
  readonly prompt: unknown;
  constructor(prompt: unknown, message: string);
}

export interface AcpProvider {
  (modelId?: string, settings?: AcpModelSettings): LanguageModelV4;
  readonly specificationVersion: "v4";
  languageModel(modelId: string, settings?: AcpModelSettings): LanguageModelV4;
  embeddingModel(modelId: string): never;
  imageModel(modelId: string): never;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export declare class AcpProviderError extends DragomanError {
  readonly name: string;
  constructor(code: ErrorCode, message: string, options?: ErrorOptions);
}

export type AcpProviderOptions = AcpProviderSettings & (AcpStartedAgent | AcpExistingClient);

export interface AcpProviderSettings {
  readonly session?: AcpSessionSettings | undefined;
  readonly auth?: string | undefined;
  readonly maxSessions?: number | undefined;
}

export interface AcpSessionSettings extends Omit<SessionOptions, "cwd" | "signal"> {
  readonly cwd?: string | undefined;
}

export type AcpStartedAgent = AcpClientConfig & {
  readonly client?: undefined;
};

export interface AcpToolEndpoint {
  readonly type: "acp";
  readonly name: string;
  readonly handle: (request: ToolServerRequest) => Promise<JsonObject>;
}

export interface AcpToolMetadata extends AcpPartMetadata {
  readonly title: string;
  readonly kind: ToolKind;
  readonly locations: readonly ToolCallLocation[];
}

export interface AcpToolOutput {
  readonly content: readonly ToolCallContent[];
  readonly locations: readonly ToolCallLocation[];
  readonly rawOutput: unknown;
}

export declare class AcpUnsupportedError extends AcpProviderError {
  readonly name = "AcpUnsupportedError";
  readonly functionality: string;
  constructor(functionality: string, message: string, options?: ErrorOptions);
}

export interface HttpToolEndpoint {
  readonly type: "http";
  readonly name: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

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

export interface StdioToolEndpoint {
  readonly type: "stdio";
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export type ToolEndpoint = AcpToolEndpoint | HttpToolEndpoint | StdioToolEndpoint;

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

export interface ToolServerRequest {
  readonly method: string;
  readonly params: JsonObject | undefined;
  readonly signal: AbortSignal;
  readonly notify: (method: string, params?: JsonObject) => Promise<void>;
}

export type ToolTransport = "acp" | "http" | "stdio";

export declare function createAcpProvider(options: AcpProviderOptions): AcpProvider;
