/** Droid's methods, the types of their params and results, and how to read them. */
import {
  booleanField,
  type JsonObject,
  numberField,
  objectsField,
  stringField,
} from "../../base/index.ts";
import type { ContextUsage } from "../../protocol/acp/index.ts";
import { readContextUsage } from "./usage.ts";
import type { McpServerStatus, ModelInfo } from "./messages.ts";
import { readModel } from "./settings.ts";
import { readMcpServer, type McpToolInfo, readMcpTool } from "./mcp.ts";

/** A built-in tool of Droid. */
export interface ToolInfo {
  /** The id that settings name the tool by. */
  readonly id: string;
  /** The name the model calls it by. */
  readonly llmId: string | undefined;
  /** The name for the user, if there is one. */
  readonly displayName: string | undefined;
  readonly description: string | undefined;
  /** The group of tools that it belongs to, in Droid's words. */
  readonly category: string | undefined;
  /** Whether the model may use it by default. */
  readonly isAllowedByDefault: boolean;
  /** Whether the model may use it in this session. */
  readonly isAllowed: boolean;
}

/** A slash command. A prompt with its text runs it. */
export interface CommandInfo {
  /** Without the slash. */
  readonly name: string;
  readonly description: string | undefined;
  /** A hint at the arguments, if the command takes any. */
  readonly argumentHint: string | undefined;
  /** Whether Droid marks the command as executable. */
  readonly isExecutable: boolean;
}

/** A skill, without its content. */
export interface SkillInfo {
  readonly name: string;
  readonly description: string | undefined;
  /** The kind of folder that it comes from, in Droid's words. */
  readonly location: string | undefined;
  readonly filePath: string | undefined;
  /** Whether the model may use it. */
  readonly isEnabled: boolean;
  /** Whether `/name` in a prompt runs it. */
  readonly isUserInvocable: boolean;
}

/** The parts that fill the model's context. */
export interface ContextBreakdown {
  readonly modelId: string | undefined;
  /** The size of the context, in tokens. */
  readonly contextBudget: number | undefined;
  /** The tokens in use. */
  readonly usedTokens: number | undefined;
  /** The tokens that are free. */
  readonly freeTokens: number | undefined;
  /** The tokens in use, by their purpose. */
  readonly categories: readonly {
    readonly name: string;
    /** The tokens in use for it. */
    readonly tokens: number;
  }[];
  /** The whole result, for fields that are not listed above. */
  readonly raw: JsonObject;
}

/** A file as Droid describes it. Its other fields (a hash, a size) are sent back unchanged. */
export interface RewindFile extends JsonObject {
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
  readonly sessionId: string;
  /** The user message to go back to. The copy does not contain it. */
  readonly messageId: string;
  /** Files to restore, from `RewindInfo.availableFiles`. */
  readonly filesToRestore: readonly RewindFile[];
  /** Files to delete, from `RewindInfo.createdFiles`. */
  readonly filesToDelete: readonly RewindFile[];
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
  readonly newSessionId: string;
  /** How many messages the summary replaces. */
  readonly removedCount: number | undefined;
}

function readTool(value: JsonObject): ToolInfo {
  return {
    id: stringField(value, "id") ?? "",
    llmId: stringField(value, "llmId"),
    displayName: stringField(value, "displayName"),
    description: stringField(value, "description"),
    category: stringField(value, "category"),
    isAllowedByDefault: booleanField(value, "defaultAllowed") === true,
    isAllowed: booleanField(value, "currentlyAllowed") === true,
  };
}

function readCommand(value: JsonObject): CommandInfo {
  return {
    name: stringField(value, "name") ?? "",
    description: stringField(value, "description"),
    argumentHint: stringField(value, "argumentHint"),
    isExecutable: booleanField(value, "isExecutable") === true,
  };
}

/** Leaves out content and resources, which make the response of 0.225 740 KB long. */
function readSkill(value: JsonObject): SkillInfo {
  return {
    name: stringField(value, "name") ?? "",
    description: stringField(value, "description"),
    location: stringField(value, "location"),
    filePath: stringField(value, "filePath"),
    isEnabled: booleanField(value, "enabled") !== false,
    isUserInvocable: booleanField(value, "userInvocable") === true,
  };
}

function readBreakdown(value: JsonObject): ContextBreakdown {
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

function isRewindFile(value: JsonObject): value is RewindFile {
  return typeof value["filePath"] === "string";
}

/** A method: the type of its params, and how to read its result. */
export interface MethodSpec<Params, Result> {
  /** The name of the method in the protocol: `droid.…`. */
  readonly name: string;
  /** Turns the result of the method into its type. */
  readonly read: (result: JsonObject) => Result;
  /** Never set; it only carries the type of the params. */
  readonly params?: Params | undefined;
}

/* @__NO_SIDE_EFFECTS__ */
function method<Params, Result>(
  name: string,
  read: (result: JsonObject) => Result,
): MethodSpec<Params, Result> {
  return { name: `droid.${name}`, read };
}

type None = Readonly<Record<string, never>>;
/** An MCP server, and the settings file that has it. */
export interface ServerAndLevel {
  readonly serverName: string;
  /** The level of the settings file, in Droid's words. */
  readonly settingsLevel?: string | undefined;
}

const ignore = (): void => {};

/**
 * Droid's methods under the names this library uses. `DroidClient.request` takes these or any
 * `droid.…` name.
 */
export const METHODS = {
  /** The models that the session can use. */
  listModels: method<None, readonly ModelInfo[]>("list_models", (result) =>
    objectsField(result, "models").map(readModel),
  ),
  /** Droid's built-in tools. */
  listTools: method<None, readonly ToolInfo[]>("list_tools", (result) =>
    objectsField(result, "tools").map(readTool),
  ),
  /** The slash commands. */
  listCommands: method<None, readonly CommandInfo[]>("list_commands", (result) =>
    objectsField(result, "commands").map(readCommand),
  ),
  /** The skills, without their contents. */
  listSkills: method<None, readonly SkillInfo[]>("list_skills", (result) =>
    objectsField(result, "skills").map(readSkill),
  ),
  /** How full the model's context is. */
  contextUsage: method<None, ContextUsage | undefined>("get_context_stats", readContextUsage),
  /** The parts that fill the model's context. */
  contextBreakdown: method<None, ContextBreakdown>("get_context_breakdown", readBreakdown),
  /** Copies the session. Returns the id of the copy. */
  fork: method<{ readonly title?: string | undefined }, string>(
    "fork_session",
    (result) => stringField(result, "newSessionId") ?? "",
  ),
  /** Gives the session a title. Returns whether Droid did. */
  rename: method<{ readonly title: string }, boolean>(
    "rename_session",
    (result) => booleanField(result, "success") !== false,
  ),
  /** Makes a compacted copy of the session. */
  compact: method<
    {
      /** Instructions for the summary. */
      readonly customInstructions?: string | undefined;
    },
    CompactResult
  >("compact_session", (result) => ({
    newSessionId: stringField(result, "newSessionId") ?? "",
    removedCount: numberField(result, "removedCount"),
  })),
  /** How going back to before a prompt would affect the files. */
  rewindInfo: method<
    {
      readonly sessionId: string;
      /** The user message to go back to. */
      readonly messageId: string;
    },
    RewindInfo
  >("get_rewind_info", (result) => ({
    availableFiles: objectsField(result, "availableFiles").filter(isRewindFile),
    createdFiles: objectsField(result, "createdFiles").filter(isRewindFile),
    evictedFiles: objectsField(result, "evictedFiles").filter(isRewindFile),
  })),
  /** Makes a copy of the session that ends before a prompt. */
  rewind: method<RewindRequest, RewindResult>("execute_rewind", (result) => ({
    newSessionId: stringField(result, "newSessionId") ?? "",
    restoredCount: numberField(result, "restoredCount"),
    deletedCount: numberField(result, "deletedCount"),
    failedRestoreCount: numberField(result, "failedRestoreCount"),
    failedDeleteCount: numberField(result, "failedDeleteCount"),
  })),
  /** Moves the session to another folder. */
  changeDirectory: method<{ readonly workingDirectory: string }, void>(
    "change_working_directory",
    ignore,
  ),
  /** Adds messages to the conversation without a turn. */
  appendMessages: method<
    {
      /** The messages, in Droid's own format. */
      readonly messages: readonly JsonObject[];
    },
    void
  >("append_messages", ignore),
  /** Removes a message from Droid's queue, or moves it. */
  resolveQueuedMessage: method<
    {
      readonly requestId: string;
      /** Whether to remove the message or to move it. */
      readonly action: "delete" | "update_queue";
      /** The new place, in Droid's words. */
      readonly queuePlacement?: string | undefined;
    },
    void
  >("resolve_queued_user_message", ignore),
  /** Switches a skill on or off. */
  setSkillDisabled: method<JsonObject, void>("set_skill_disabled", ignore),
  /** Ends the session of a sub-agent. */
  closeWorker: method<{ readonly workerSessionId: string }, void>("kill_worker_session", ignore),
  /** The MCP servers from the user's and the project's settings. */
  listMcpServers: method<None, readonly McpServerStatus[]>("list_mcp_servers", (result) =>
    objectsField(result, "servers").map(readMcpServer),
  ),
  /** The tools of all MCP servers. */
  listMcpTools: method<None, readonly McpToolInfo[]>("list_mcp_tools", (result) =>
    objectsField(result, "tools").map(readMcpTool),
  ),
  /** The MCP servers that Factory offers to add, as Droid sends them. */
  listMcpRegistry: method<None, JsonObject>("list_mcp_registry", (result) => result),
  /** Writes to the user's `~/.factory/mcp.json`. Pass servers for one session to `start` instead. */
  addMcpServer: method<JsonObject, void>("add_mcp_server", ignore),
  /** Removes an MCP server from a settings file. */
  removeMcpServer: method<ServerAndLevel, void>("remove_mcp_server", ignore),
  /** Switches an MCP server on or off in a settings file. */
  toggleMcpServer: method<ServerAndLevel & JsonObject, void>("toggle_mcp_server", ignore),
  /** Switches a tool of an MCP server on or off in a settings file. */
  toggleMcpTool: method<ServerAndLevel & JsonObject, void>("toggle_mcp_tool", ignore),
  /** Starts the login to an MCP server. Answered when the login is over. */
  authenticateMcpServer: method<{ readonly serverName: string }, JsonObject>(
    "authenticate_mcp_server",
    (result) => result,
  ),
  /** Gives up a login to an MCP server. */
  cancelMcpAuth: method<{ readonly serverName: string }, void>("cancel_mcp_auth", ignore),
  /** Forgets the login to an MCP server. */
  clearMcpAuth: method<{ readonly serverName: string }, void>("clear_mcp_auth", ignore),
  /** Completes a login to an MCP server with the code from its page. */
  submitMcpAuthCode: method<
    {
      readonly serverName: string;
      readonly code: string;
      /** The state that the page returned. */
      readonly state: string;
    },
    void
  >("submit_mcp_auth_code", ignore),
} as const;

/** The name of a method in this library. */
export type MethodName = keyof typeof METHODS;

/** The params of a method. */
export type MethodParams<M extends MethodName> =
  (typeof METHODS)[M] extends MethodSpec<infer Params, unknown> ? Params : never;

/** The result of a method. */
export type MethodResult<M extends MethodName> = ReturnType<(typeof METHODS)[M]["read"]>;

/** Methods that copy the session. Droid up to 0.117 then switches to the copy (see `copyAndReopen`). */
export const COPYING_METHODS: ReadonlySet<string> = copyingMethods();

/* @__NO_SIDE_EFFECTS__ */
function copyingMethods(): Set<string> {
  return new Set([METHODS.fork, METHODS.compact, METHODS.rewind].map(({ name }) => name));
}

/**
 * The methods that 0.99.0 supports. It answers an unknown method and bad params with the same error,
 * so this list tells the two apart.
 */
export const METHODS_OF_0_99: ReadonlySet<string> = new Set(
  [
    "initialize_session",
    "load_session",
    "add_user_message",
    "interrupt_session",
    "update_session_settings",
    "fork_session",
    "compact_session",
    "list_skills",
    "get_rewind_info",
    "execute_rewind",
    "list_mcp_servers",
    "list_mcp_tools",
    "list_mcp_registry",
    "add_mcp_server",
    "remove_mcp_server",
    "toggle_mcp_server",
    "toggle_mcp_tool",
    "authenticate_mcp_server",
    "cancel_mcp_auth",
    "clear_mcp_auth",
    "submit_mcp_auth_code",
    "kill_worker_session",
  ].map((name) => `droid.${name}`),
);
