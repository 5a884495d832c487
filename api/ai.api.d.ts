// The public interface of `dragoman/ai`, written by `npm run docs`.

import { LanguageModelV4 } from "@ai-sdk/provider";

export interface AcpCallOptions {
  readonly sessionId?: string | undefined;
}

export interface AcpFinishMetadata extends AcpPartMetadata {
  readonly stopReason: string;
  readonly plan?: readonly PlanEntry[] | undefined;
  readonly context?: ContextUsage | undefined;
  readonly cost?: Cost | undefined;
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

export declare function createAcpProvider(options: AcpProviderOptions): AcpProvider;
