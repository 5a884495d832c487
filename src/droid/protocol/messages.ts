import {
  asObject,
  booleanField,
  type JsonObject,
  numberField,
  objectField,
  objectsField,
  stringField,
} from "../../base/index.ts";

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
  readonly isDeprecated: boolean;
  readonly raw: JsonObject;
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
type DroidContentBlock =
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
type DroidRole = "user" | "assistant" | "system" | "tool" | (string & {});

/** `llm_only` is hidden from the user, `user_only` from the model. */
type Visibility = "both" | "llm_only" | "user_only" | (string & {});

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

/** The state of an MCP server. */
type McpServerState = "connecting" | "connected" | "failed" | "disabled" | (string & {});

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

/**
 * The notes that Droid adds to the conversation after an interrupt. 0.99 shows the second to the
 * user. The last two, from 0.99 and 0.117, appear if the model had not started to answer.
 */
const INTERRUPT_NOTES: ReadonlySet<string> = new Set([
  "Request interrupted by user",
  "Request cancelled by user",
  "Error: Request was aborted.",
  "⎿ Interrupted",
]);

/** Whether a message is one of Droid's notes about an interrupt. */
export function isInterruptNote(message: DroidMessage): boolean {
  const [only, more] = message.content;
  return (
    message.role !== "assistant" &&
    more === undefined &&
    only?.type === "text" &&
    INTERRUPT_NOTES.has(only.text)
  );
}
