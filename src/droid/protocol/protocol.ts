/**
 * The objects on Droid's wire, as read from it.
 *
 * Observed on 0.225.2 (protocol 1.220.0), 0.215.0, 0.117.0 and 0.99.0 (protocol 1.15.0); what only
 * the documents on 0.57.14 and 0.36.2 describe is marked so. There is no published schema: a field
 * that a version does not send is `undefined`, and `raw` keeps what stands beyond these types.
 */
import type { JsonObject } from "../../wire/index.ts";
import { booleanOf, numberOf, objectOf, objectsOf, textOf, textsOf } from "./fields.ts";

/** What Droid is doing. `thinking` since 0.215; other versions may know more states. */
export type WorkingState =
  | "idle"
  | "streaming_assistant_message"
  | "thinking"
  | "executing_tool"
  | "waiting_for_tool_confirmation"
  | "compacting_conversation"
  | (string & {});

/** Counts of tokens; those from the cache do not count as input again. */
export interface TokenUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheCreationTokens: number;
  readonly cacheReadTokens: number;
  readonly thinkingTokens: number;
  /** Not in 0.99. */
  readonly factoryCredits: number | undefined;
}

function readUsage(value: JsonObject): TokenUsage {
  return {
    inputTokens: numberOf(value, "inputTokens") ?? 0,
    outputTokens: numberOf(value, "outputTokens") ?? 0,
    cacheCreationTokens: numberOf(value, "cacheCreationTokens") ?? 0,
    cacheReadTokens: numberOf(value, "cacheReadTokens") ?? 0,
    thinkingTokens: numberOf(value, "thinkingTokens") ?? 0,
    factoryCredits: numberOf(value, "factoryCredits"),
  };
}

export function usageOf(object: JsonObject, key: string): TokenUsage | undefined {
  const value = objectOf(object, key);
  return value && readUsage(value);
}

/** A model the session can use. */
export interface ModelInfo {
  readonly id: string;
  readonly displayName: string;
  readonly shortDisplayName: string | undefined;
  readonly provider: string | undefined;
  readonly supportedReasoningEfforts: readonly string[];
  readonly defaultReasoningEffort: string | undefined;
  /** An own-key model of the user's settings. */
  readonly isCustom: boolean;
  readonly supportsImages: boolean;
  readonly supportsPdfs: boolean;
  readonly deprecated: boolean;
  readonly raw: JsonObject;
}

export function readModel(value: JsonObject): ModelInfo {
  const id = textOf(value, "id") ?? textOf(value, "modelId") ?? "";
  return {
    id,
    displayName: textOf(value, "displayName") ?? id,
    shortDisplayName: textOf(value, "shortDisplayName"),
    provider: textOf(value, "modelProvider"),
    supportedReasoningEfforts: textsOf(value, "supportedReasoningEfforts"),
    defaultReasoningEffort: textOf(value, "defaultReasoningEffort"),
    isCustom: booleanOf(value, "isCustom") ?? id.startsWith("custom:"),
    supportsImages: booleanOf(value, "noImageSupport") !== true,
    supportsPdfs: booleanOf(value, "supportsPDFs") === true,
    deprecated: booleanOf(value, "deprecated") === true,
    raw: value,
  };
}

/** A call of a tool, as the model wrote it. */
export interface ToolUse {
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
}

/** A tool call as blocks, notifications and requests carry it; undefined without an id. */
export function readToolUse(value: JsonObject | undefined): ToolUse | undefined {
  if (!value) return undefined;
  const id = textOf(value, "id") ?? textOf(value, "toolUseId");
  if (id === undefined) return undefined;
  const input = objectOf(value, "input") ?? objectOf(value, "parameters") ?? {};
  return { id, name: textOf(value, "name") ?? textOf(value, "toolName") ?? "", input };
}

/** A part of a message. */
export type DroidContentBlock =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly text: string; readonly durationMs: number | undefined }
  | { readonly type: "tool_use"; readonly toolUse: ToolUse }
  | {
      readonly type: "tool_result";
      readonly toolUseId: string;
      readonly content: string;
      readonly isError: boolean;
    }
  | { readonly type: "image"; readonly mediaType: string | undefined; readonly data: string }
  | {
      readonly type: "document";
      readonly name: string | undefined;
      readonly mediaType: string | undefined;
      readonly raw: JsonObject;
    }
  | { readonly type: "unknown"; readonly raw: JsonObject };

function readBlock(value: JsonObject): DroidContentBlock {
  switch (value["type"]) {
    case "text":
      return { type: "text", text: textOf(value, "text") ?? "" };
    case "thinking":
      return {
        type: "thinking",
        text: textOf(value, "thinking") ?? textOf(value, "text") ?? "",
        durationMs: numberOf(value, "durationMs"),
      };
    case "tool_use": {
      const toolUse = readToolUse(value);
      return toolUse ? { type: "tool_use", toolUse } : { type: "unknown", raw: value };
    }
    case "tool_result":
      // The wire says toolUseId and isError, the session file tool_use_id and is_error.
      return {
        type: "tool_result",
        toolUseId: textOf(value, "toolUseId") ?? textOf(value, "tool_use_id") ?? "",
        content: resultText(value["content"]),
        isError: (booleanOf(value, "isError") ?? booleanOf(value, "is_error")) === true,
      };
    case "image": {
      const source = objectOf(value, "source") ?? value;
      return {
        type: "image",
        mediaType: textOf(source, "mediaType") ?? textOf(source, "media_type"),
        data: textOf(source, "data") ?? "",
      };
    }
    case "document": {
      const source = objectOf(value, "source") ?? value;
      return {
        type: "document",
        name: textOf(source, "name"),
        mediaType: textOf(source, "mediaType"),
        raw: value,
      };
    }
    default:
      return { type: "unknown", raw: value };
  }
}

/** A tool's result is text; where blocks stand instead, their texts are joined. */
export function resultText(content: unknown): string {
  if (typeof content === "string") return content;
  if (content === undefined || content === null) return "";
  if (!Array.isArray(content)) return JSON.stringify(content);
  const texts = content.map((block: unknown) =>
    typeof block === "object" && block !== null && "text" in block && typeof block.text === "string"
      ? block.text
      : JSON.stringify(block),
  );
  return texts.join("\n");
}

/** `tool` messages hold results, in loaded sessions only. */
export type DroidRole = "user" | "assistant" | "system" | "tool" | (string & {});

/** `llm_only` is hidden from people, `user_only` from the model. */
export type Visibility = "both" | "llm_only" | "user_only" | (string & {});

/** A message as Droid stores it. */
export interface DroidMessage {
  readonly id: string;
  readonly role: DroidRole;
  readonly visibility: Visibility;
  readonly content: readonly DroidContentBlock[];
  readonly createdAt: number | undefined;
  readonly parentId: string | undefined;
  readonly modelId: string | undefined;
}

export function readMessage(value: JsonObject): DroidMessage {
  const text = textOf(value, "content");
  return {
    id: textOf(value, "id") ?? "",
    role: textOf(value, "role") ?? "",
    visibility: textOf(value, "visibility") ?? "both",
    content:
      text === undefined ? objectsOf(value, "content").map(readBlock) : [{ type: "text", text }],
    createdAt: numberOf(value, "createdAt"),
    parentId: textOf(value, "parentId"),
    modelId: textOf(value, "modelId"),
  };
}

/** Droid's name for the repository the session works in. */
export interface GitRepo {
  readonly owner: string | undefined;
  readonly repoName: string | undefined;
}

export function readGitRepo(value: JsonObject): GitRepo {
  return { owner: textOf(value, "owner"), repoName: textOf(value, "repoName") };
}

/** How an MCP server is. */
export type McpServerState = "connecting" | "connected" | "failed" | "disabled" | (string & {});

/** A server of the user's or the project's files; those given at the start are not told of. */
export interface McpServerStatus {
  readonly name: string;
  readonly status: McpServerState;
  readonly source: string | undefined;
  readonly serverType: string | undefined;
  readonly isManaged: boolean;
  readonly error: string | undefined;
  readonly raw: JsonObject;
}

export function readMcpServer(value: JsonObject): McpServerStatus {
  return {
    name: textOf(value, "name") ?? "",
    status: textOf(value, "status") ?? "",
    source: textOf(value, "source"),
    serverType: textOf(value, "serverType"),
    isManaged: booleanOf(value, "isManaged") === true,
    error: textOf(value, "error"),
    raw: value,
  };
}
