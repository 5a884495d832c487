/** The objects in the params and results of Droid's methods, and how to read them. */
import {
  booleanField,
  type JsonObject,
  numberField,
  objectsField,
  stringField,
} from "../../wire/index.ts";

/** A built-in tool of Droid. */
export interface ToolInfo {
  /** The id that settings name the tool by. */
  readonly id: string;
  /** The name the model calls it by. */
  readonly llmId: string | undefined;
  /** The name for the user, if there is one. */
  readonly displayName: string | undefined;
  /** A description of the tool, if there is one. */
  readonly description: string | undefined;
  /** The group of tools that it belongs to, in Droid's words. */
  readonly category: string | undefined;
  /** Whether the model may use it by default. */
  readonly defaultAllowed: boolean;
  /** Whether the model may use it in this session. */
  readonly currentlyAllowed: boolean;
}

/** A slash command. A prompt with its text runs it. */
export interface CommandInfo {
  /** Without the slash. */
  readonly name: string;
  /** A description for the user, if there is one. */
  readonly description: string | undefined;
  /** A hint at the arguments, if the command takes any. */
  readonly argumentHint: string | undefined;
  /** Whether Droid marks the command as executable. */
  readonly isExecutable: boolean;
}

/** A skill, without its content. */
export interface SkillInfo {
  /** The name of the skill. */
  readonly name: string;
  /** A description of the skill, if there is one. */
  readonly description: string | undefined;
  /** The kind of folder that it comes from, in Droid's words. */
  readonly location: string | undefined;
  /** The path of its file, if Droid reports it. */
  readonly filePath: string | undefined;
  /** Whether the model may use it. */
  readonly enabled: boolean;
  /** Whether `/name` in a prompt runs it. */
  readonly userInvocable: boolean;
}

/** How full the model's context is. */
export interface ContextStats {
  /** The tokens in use. */
  readonly used: number;
  /** The tokens that are free. */
  readonly remaining: number;
  /** The size of the context, in tokens. */
  readonly limit: number;
  /** How exact the figures are, in Droid's words. */
  readonly accuracy: string | undefined;
  /** When Droid counted them, as it writes the time. */
  readonly updatedAt: string | undefined;
}

/** The parts that fill the model's context. */
export interface ContextBreakdown {
  /** The model whose context it is. */
  readonly modelId: string | undefined;
  /** The size of the context, in tokens. */
  readonly contextBudget: number | undefined;
  /** The tokens in use. */
  readonly usedTokens: number | undefined;
  /** The tokens that are free. */
  readonly freeTokens: number | undefined;
  /** The tokens in use, by their purpose. */
  readonly categories: readonly {
    /** The name of the purpose, as Droid gives it. */
    readonly name: string;
    /** The tokens in use for it. */
    readonly tokens: number;
  }[];
  /** The whole result, for fields that are not listed above. */
  readonly raw: JsonObject;
}

/** A file as Droid describes it. Its other fields (a hash, a size) are sent back unchanged. */
export interface RewindFile extends JsonObject {
  /** The path of the file. */
  readonly filePath: string;
}

/** How going back to before a prompt would affect the files. */
export interface RewindInfo {
  /** Files changed since then that can be restored. */
  readonly availableFiles: readonly RewindFile[];
  /** Files created since then. */
  readonly createdFiles: readonly RewindFile[];
  /** Files changed since then whose old content Droid no longer has (unverified). */
  readonly evictedFiles: readonly RewindFile[];
}

/** Droid requires all fields. `DroidClient.rewind` has defaults for them. */
export interface RewindRequest {
  /** The session to copy. */
  readonly sessionId: string;
  /** The user message to go back to. The copy does not contain it. */
  readonly messageId: string;
  /** Files to restore, from `RewindInfo.availableFiles`. */
  readonly filesToRestore: readonly RewindFile[];
  /** Files to delete, from `RewindInfo.createdFiles`. */
  readonly filesToDelete: readonly RewindFile[];
  /** The title of the copy. */
  readonly forkTitle: string;
}

/** The result of a rewind. */
export interface RewindResult {
  /** The copy that ends before the prompt. */
  readonly newSessionId: string;
  /** How many files were restored, if Droid reports it. */
  readonly restoredCount: number | undefined;
  /** How many files were deleted, if Droid reports it. */
  readonly deletedCount: number | undefined;
  /** How many files could not be restored, if Droid reports it. */
  readonly failedRestoreCount: number | undefined;
  /** How many files could not be deleted, if Droid reports it. */
  readonly failedDeleteCount: number | undefined;
}

/** The result of a compaction. */
export interface CompactResult {
  /** The compacted copy. */
  readonly newSessionId: string;
  /** How many messages the summary replaces. */
  readonly removedCount: number | undefined;
}

/** A tool of an MCP server. */
export interface McpToolInfo {
  /** The name of the server that has the tool. */
  readonly serverName: string;
  /** The name of the tool on its server. */
  readonly name: string;
  /** A description of the tool, if there is one. */
  readonly description: string | undefined;
  /** Whether the model may use the tool. */
  readonly isEnabled: boolean;
}

export function readTool(value: JsonObject): ToolInfo {
  return {
    id: stringField(value, "id") ?? "",
    llmId: stringField(value, "llmId"),
    displayName: stringField(value, "displayName"),
    description: stringField(value, "description"),
    category: stringField(value, "category"),
    defaultAllowed: booleanField(value, "defaultAllowed") === true,
    currentlyAllowed: booleanField(value, "currentlyAllowed") === true,
  };
}

export function readCommand(value: JsonObject): CommandInfo {
  return {
    name: stringField(value, "name") ?? "",
    description: stringField(value, "description"),
    argumentHint: stringField(value, "argumentHint"),
    isExecutable: booleanField(value, "isExecutable") === true,
  };
}

/** Leaves out content and resources, which make the response of 0.225 740 KB long. */
export function readSkill(value: JsonObject): SkillInfo {
  return {
    name: stringField(value, "name") ?? "",
    description: stringField(value, "description"),
    location: stringField(value, "location"),
    filePath: stringField(value, "filePath"),
    enabled: booleanField(value, "enabled") !== false,
    userInvocable: booleanField(value, "userInvocable") === true,
  };
}

export function readContextStats(value: JsonObject): ContextStats {
  return {
    used: numberField(value, "used") ?? 0,
    remaining: numberField(value, "remaining") ?? 0,
    limit: numberField(value, "limit") ?? 0,
    accuracy: stringField(value, "accuracy"),
    updatedAt: stringField(value, "updatedAt"),
  };
}

export function readBreakdown(value: JsonObject): ContextBreakdown {
  return {
    modelId: stringField(value, "modelId"),
    contextBudget: numberField(value, "contextBudget"),
    usedTokens: numberField(value, "usedTokens"),
    freeTokens: numberField(value, "freeTokens"),
    categories: objectsField(value, "categories").map((category) => ({
      name: stringField(category, "name") ?? "",
      tokens: numberField(category, "tokens") ?? 0,
    })),
    raw: value,
  };
}

export function readMcpTool(value: JsonObject): McpToolInfo {
  return {
    serverName: stringField(value, "serverName") ?? "",
    name: stringField(value, "name") ?? "",
    description: stringField(value, "description"),
    isEnabled: booleanField(value, "isEnabled") !== false,
  };
}

export function isRewindFile(value: JsonObject): value is RewindFile {
  return typeof value["filePath"] === "string";
}
