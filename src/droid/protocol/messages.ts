import {
  asObject,
  booleanField,
  type JsonObject,
  numberField,
  objectField,
  objectsField,
  stringField,
  stringsField,
  isJsonObject,
} from "../../base/index.ts";

/**
 * The objects in Droid's protocol.
 *
 * Observed on 0.225.2 (protocol 1.220.0), 0.215.0, 0.117.0 and 0.99.0 (protocol 1.15.0). Anything
 * known only from the documents on 0.57.14 and 0.36.2 is marked as such. There is no published
 * schema: a field that a version does not send is `undefined`, and `raw` keeps fields without a type
 * here.
 */

/** Droid's current activity. `thinking` exists since 0.215. Other versions may have more states. */
export type WorkingState =
  | "idle"
  | "streaming_assistant_message"
  | "thinking"
  | "executing_tool"
  | "waiting_for_tool_confirmation"
  | "compacting_conversation"
  | (string & {});

/** Token counts. Tokens read from the cache are not counted as input again. */
export interface TokenUsage {
  /** Tokens sent to the model, without those read from the cache. */
  readonly inputTokens: number;
  /** Tokens that the model wrote. */
  readonly outputTokens: number;
  /** Tokens written to the cache. */
  readonly cacheCreationTokens: number;
  /** Tokens read from the cache. */
  readonly cacheReadTokens: number;
  /** Tokens that the model used for thinking. */
  readonly thinkingTokens: number;
  /** Not in 0.99. */
  readonly factoryCredits: number | undefined;
}

function readUsage(value: JsonObject): TokenUsage {
  return {
    inputTokens: numberField(value, "inputTokens") ?? 0,
    outputTokens: numberField(value, "outputTokens") ?? 0,
    cacheCreationTokens: numberField(value, "cacheCreationTokens") ?? 0,
    cacheReadTokens: numberField(value, "cacheReadTokens") ?? 0,
    thinkingTokens: numberField(value, "thinkingTokens") ?? 0,
    factoryCredits: numberField(value, "factoryCredits"),
  };
}

export function readTokenUsage(object: JsonObject, key: string): TokenUsage | undefined {
  const value = objectField(object, key);
  return value && readUsage(value);
}

/** A model that the session can use. */
export interface ModelInfo {
  /** The id that settings name the model by. */
  readonly id: string;
  /** The name for the user. Default: the id. */
  readonly displayName: string;
  /** A shorter name for the user, if there is one. */
  readonly shortDisplayName: string | undefined;
  /** The API or company behind the model, such as `anthropic`, if Droid reports it. */
  readonly provider: string | undefined;
  /** The reasoning efforts that the model supports. */
  readonly supportedReasoningEfforts: readonly string[];
  /** The reasoning effort that applies if none is set. */
  readonly defaultReasoningEffort: string | undefined;
  /** Whether it is an own-key model from the user's settings. */
  readonly isCustom: boolean;
  /** Whether prompts may contain images. */
  readonly supportsImages: boolean;
  /** Whether prompts may contain PDF files. */
  readonly supportsPdfs: boolean;
  /** Whether Droid marks the model as deprecated. */
  readonly deprecated: boolean;
  readonly raw: JsonObject;
}

export function readModel(value: JsonObject): ModelInfo {
  const id = stringField(value, "id") ?? stringField(value, "modelId") ?? "";
  return {
    id,
    displayName: stringField(value, "displayName") ?? id,
    shortDisplayName: stringField(value, "shortDisplayName"),
    provider: stringField(value, "modelProvider"),
    supportedReasoningEfforts: stringsField(value, "supportedReasoningEfforts"),
    defaultReasoningEffort: stringField(value, "defaultReasoningEffort"),
    isCustom: booleanField(value, "isCustom") ?? id.startsWith("custom:"),
    supportsImages: booleanField(value, "noImageSupport") !== true,
    supportsPdfs: booleanField(value, "supportsPDFs") === true,
    deprecated: booleanField(value, "deprecated") === true,
    raw: value,
  };
}

/** A tool call as the model wrote it. */
export interface ToolUse {
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
}

/** Reads a tool call from a content block, notification or request; undefined if it has no id. */
export function readToolUse(value: JsonObject | undefined): ToolUse | undefined {
  if (!value) return undefined;
  const id = stringField(value, "id") ?? stringField(value, "toolUseId");
  if (id === undefined) return undefined;
  const input = objectField(value, "input") ?? objectField(value, "parameters") ?? {};
  return { id, name: stringField(value, "name") ?? stringField(value, "toolName") ?? "", input };
}

/** A part of a message. */
export type DroidContentBlock =
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "thinking";
      readonly text: string;
      /** How long the model thought, in milliseconds, if Droid reports it. */
      readonly durationMs: number | undefined;
    }
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
      return { type: "text", text: stringField(value, "text") ?? "" };
    case "thinking":
      return {
        type: "thinking",
        text: stringField(value, "thinking") ?? stringField(value, "text") ?? "",
        durationMs: numberField(value, "durationMs"),
      };
    case "tool_use": {
      const toolUse = readToolUse(value);
      return toolUse ? { type: "tool_use", toolUse } : { type: "unknown", raw: value };
    }
    case "tool_result":
      // The protocol uses toolUseId and isError, the session file tool_use_id and is_error.
      return {
        type: "tool_result",
        toolUseId: stringField(value, "toolUseId") ?? stringField(value, "tool_use_id") ?? "",
        content: resultText(value["content"]),
        isError: (booleanField(value, "isError") ?? booleanField(value, "is_error")) === true,
      };
    case "image": {
      const source = objectField(value, "source") ?? value;
      return {
        type: "image",
        mediaType: stringField(source, "mediaType") ?? stringField(source, "media_type"),
        data: stringField(source, "data") ?? "",
      };
    }
    case "document": {
      const source = objectField(value, "source") ?? value;
      return {
        type: "document",
        name: stringField(source, "name"),
        mediaType: stringField(source, "mediaType"),
        raw: value,
      };
    }
    default:
      return { type: "unknown", raw: value };
  }
}

/** The text of a tool result. If the content is a list of blocks, their texts are joined. */
export function resultText(content: unknown): string {
  if (typeof content === "string") return content;
  if (content === undefined || content === null) return "";
  if (!Array.isArray(content)) return JSON.stringify(content);
  return content
    .map((block: unknown) => stringField(asObject(block), "text") ?? JSON.stringify(block))
    .join("\n");
}

/** `tool` messages hold tool results, and only occur in loaded sessions. */
export type DroidRole = "user" | "assistant" | "system" | "tool" | (string & {});

/** `llm_only` is hidden from the user, `user_only` from the model. */
export type Visibility = "both" | "llm_only" | "user_only" | (string & {});

/** A message as Droid stores it. */
export interface DroidMessage {
  readonly id: string;
  /** The author of the message. */
  readonly role: DroidRole;
  /** Whether the user, the model or both see it. */
  readonly visibility: Visibility;
  readonly content: readonly DroidContentBlock[];
  /** When it was created, in milliseconds since 1970, if Droid reports it. */
  readonly createdAt: number | undefined;
  readonly parentId: string | undefined;
  readonly modelId: string | undefined;
}

export function readMessage(value: JsonObject): DroidMessage {
  const text = stringField(value, "content");
  return {
    id: stringField(value, "id") ?? "",
    role: stringField(value, "role") ?? "",
    visibility: stringField(value, "visibility") ?? "both",
    content:
      text === undefined ? objectsField(value, "content").map(readBlock) : [{ type: "text", text }],
    createdAt: numberField(value, "createdAt"),
    parentId: stringField(value, "parentId"),
    modelId: stringField(value, "modelId"),
  };
}

/** The repository that the session works in. */
export interface GitRepo {
  /** The owner of the repository on its host. */
  readonly owner: string | undefined;
  readonly repoName: string | undefined;
}

export function readGitRepo(value: JsonObject): GitRepo {
  return { owner: stringField(value, "owner"), repoName: stringField(value, "repoName") };
}

/** The state of an MCP server. */
export type McpServerState = "connecting" | "connected" | "failed" | "disabled" | (string & {});

/**
 * A server from the user's or the project's files. Droid does not report servers passed to `start`
 * or `load`.
 */
export interface McpServerStatus {
  readonly name: string;
  /** The state of the server. */
  readonly status: McpServerState;
  /** The settings that the server comes from, if Droid reports them. */
  readonly source: string | undefined;
  /** How Droid reaches the server, such as `stdio`, if it reports that. */
  readonly serverType: string | undefined;
  /** Whether Droid marks the server as managed. */
  readonly isManaged: boolean;
  /** Why the server failed, if it did. */
  readonly error: string | undefined;
  readonly raw: JsonObject;
}

export function readMcpServer(value: JsonObject): McpServerStatus {
  return {
    name: stringField(value, "name") ?? "",
    status: stringField(value, "status") ?? "",
    source: stringField(value, "source"),
    serverType: stringField(value, "serverType"),
    isManaged: booleanField(value, "isManaged") === true,
    error: stringField(value, "error"),
    raw: value,
  };
}

/** The status of an entry. The model may write other values. */
export type DroidPlanStatus = "pending" | "in_progress" | "completed" | (string & {});

/** One entry of the to-do list. */
export interface DroidPlanEntry {
  readonly text: string;
  /** How far the work on the entry is. */
  readonly status: DroidPlanStatus;
  /** The priority, if the model wrote one. */
  readonly priority: string | undefined;
}

/** The tool that writes the to-do list. */
export const PLAN_TOOL = "TodoWrite";

const LINE = /^\s*(?:(?:\d+[.)]|[-*])\s*)?\[([^\]]*)\]\s*(.*)$/;

const MARKS: Readonly<Record<string, DroidPlanStatus>> = {
  "": "pending",
  " ": "pending",
  x: "completed",
  X: "completed",
};

/**
 * Reads the entries of a TodoWrite input, which is either text with lines like
 * `1. [in_progress] write the test` (seen in 0.99 to 0.225) or a list of objects (older models and
 * versions). Returns undefined if it is neither, or if the model is still writing it.
 */
export function readPlan(input: JsonObject): readonly DroidPlanEntry[] | undefined {
  const { todos } = input;
  if (typeof todos === "string") return readLines(todos);
  if (Array.isArray(todos)) return todos.filter(isJsonObject).map(readEntry);
  return undefined;
}

function readLines(todos: string): readonly DroidPlanEntry[] {
  return todos
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const [, mark, text] = LINE.exec(line) ?? [];
      if (mark === undefined || text === undefined)
        return { text: line.trim(), status: "pending", priority: undefined };
      return { text: text.trim(), status: MARKS[mark] ?? mark, priority: undefined };
    });
}

function readEntry(entry: JsonObject): DroidPlanEntry {
  return {
    text:
      stringField(entry, "content") ??
      stringField(entry, "text") ??
      stringField(entry, "task") ??
      "",
    status: stringField(entry, "status") ?? "pending",
    priority: stringField(entry, "priority"),
  };
}
