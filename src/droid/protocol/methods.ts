/** Types for the params and results of Droid's methods. */
import {
  booleanField,
  type JsonObject,
  numberField,
  objectsField,
  stringField,
} from "../../wire/index.ts";
import { readMcpServer, readModel, type McpServerStatus, type ModelInfo } from "./protocol.ts";

/** A built-in tool of Droid. */
export interface ToolInfo {
  readonly id: string;
  /** The name the model calls it by. */
  readonly llmId: string | undefined;
  readonly displayName: string | undefined;
  readonly description: string | undefined;
  readonly category: string | undefined;
  readonly defaultAllowed: boolean;
  readonly currentlyAllowed: boolean;
}

/** A slash command. A prompt with its text runs it. */
export interface CommandInfo {
  /** Without the slash. */
  readonly name: string;
  readonly description: string | undefined;
  readonly argumentHint: string | undefined;
  readonly isExecutable: boolean;
}

/** A skill, without its content. */
export interface SkillInfo {
  readonly name: string;
  readonly description: string | undefined;
  readonly location: string | undefined;
  readonly filePath: string | undefined;
  readonly enabled: boolean;
  /** Whether `/name` in a prompt runs it. */
  readonly userInvocable: boolean;
}

/** How full the model's context is. */
export interface ContextStats {
  readonly used: number;
  readonly remaining: number;
  readonly limit: number;
  readonly accuracy: string | undefined;
  readonly updatedAt: string | undefined;
}

/** The parts that fill the model's context. */
export interface ContextBreakdown {
  readonly modelId: string | undefined;
  readonly contextBudget: number | undefined;
  readonly usedTokens: number | undefined;
  readonly freeTokens: number | undefined;
  readonly categories: readonly { readonly name: string; readonly tokens: number }[];
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
  readonly filesToRestore: readonly RewindFile[];
  readonly filesToDelete: readonly RewindFile[];
  readonly forkTitle: string;
}

/** The result of a rewind. */
export interface RewindResult {
  /** The copy that ends before the prompt. */
  readonly newSessionId: string;
  readonly restoredCount: number | undefined;
  readonly deletedCount: number | undefined;
  readonly failedRestoreCount: number | undefined;
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
  readonly serverName: string;
  readonly name: string;
  readonly description: string | undefined;
  readonly isEnabled: boolean;
}

/** A method: the type of its params, and how to read its result. */
export interface MethodSpec<Params, Result> {
  readonly name: string;
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
  readonly settingsLevel?: string | undefined;
}

const ignore = (): void => {};

/**
 * Droid's methods under the names this library uses. `DroidClient.request` takes these or any
 * `droid.…` name.
 */
export const METHODS = {
  listModels: method<None, readonly ModelInfo[]>("list_models", (result) =>
    objectsField(result, "models").map(readModel),
  ),
  listTools: method<None, readonly ToolInfo[]>("list_tools", (result) =>
    objectsField(result, "tools").map(readTool),
  ),
  listCommands: method<None, readonly CommandInfo[]>("list_commands", (result) =>
    objectsField(result, "commands").map(readCommand),
  ),
  listSkills: method<None, readonly SkillInfo[]>("list_skills", (result) =>
    objectsField(result, "skills").map(readSkill),
  ),
  contextStats: method<None, ContextStats>("get_context_stats", readContextStats),
  contextBreakdown: method<None, ContextBreakdown>("get_context_breakdown", readBreakdown),
  fork: method<{ readonly title?: string | undefined }, string>(
    "fork_session",
    (result) => stringField(result, "newSessionId") ?? "",
  ),
  rename: method<{ readonly title: string }, boolean>(
    "rename_session",
    (result) => booleanField(result, "success") !== false,
  ),
  compact: method<{ readonly customInstructions?: string | undefined }, CompactResult>(
    "compact_session",
    (result) => ({
      newSessionId: stringField(result, "newSessionId") ?? "",
      removedCount: numberField(result, "removedCount"),
    }),
  ),
  rewindInfo: method<{ readonly sessionId: string; readonly messageId: string }, RewindInfo>(
    "get_rewind_info",
    (result) => ({
      availableFiles: objectsField(result, "availableFiles").filter(isRewindFile),
      createdFiles: objectsField(result, "createdFiles").filter(isRewindFile),
      evictedFiles: objectsField(result, "evictedFiles").filter(isRewindFile),
    }),
  ),
  rewind: method<RewindRequest, RewindResult>("execute_rewind", (result) => ({
    newSessionId: stringField(result, "newSessionId") ?? "",
    restoredCount: numberField(result, "restoredCount"),
    deletedCount: numberField(result, "deletedCount"),
    failedRestoreCount: numberField(result, "failedRestoreCount"),
    failedDeleteCount: numberField(result, "failedDeleteCount"),
  })),
  changeDirectory: method<{ readonly workingDirectory: string }, void>(
    "change_working_directory",
    ignore,
  ),
  appendMessages: method<{ readonly messages: readonly JsonObject[] }, void>(
    "append_messages",
    ignore,
  ),
  resolveQueuedMessage: method<
    {
      readonly requestId: string;
      readonly action: "delete" | "update_queue";
      readonly queuePlacement?: string | undefined;
    },
    void
  >("resolve_queued_user_message", ignore),
  setSkillDisabled: method<JsonObject, void>("set_skill_disabled", ignore),
  killWorker: method<{ readonly workerSessionId: string }, void>("kill_worker_session", ignore),
  listMcpServers: method<None, readonly McpServerStatus[]>("list_mcp_servers", (result) =>
    objectsField(result, "servers").map(readMcpServer),
  ),
  listMcpTools: method<None, readonly McpToolInfo[]>("list_mcp_tools", (result) =>
    objectsField(result, "tools").map(readMcpTool),
  ),
  listMcpRegistry: method<None, JsonObject>("list_mcp_registry", (result) => result),
  /** Writes to the user's `~/.factory/mcp.json`. Pass servers for one session to `start` instead. */
  addMcpServer: method<JsonObject, void>("add_mcp_server", ignore),
  removeMcpServer: method<ServerAndLevel, void>("remove_mcp_server", ignore),
  toggleMcpServer: method<ServerAndLevel & JsonObject, void>("toggle_mcp_server", ignore),
  toggleMcpTool: method<ServerAndLevel & JsonObject, void>("toggle_mcp_tool", ignore),
  authenticateMcpServer: method<{ readonly serverName: string }, JsonObject>(
    "authenticate_mcp_server",
    (result) => result,
  ),
  cancelMcpAuth: method<{ readonly serverName: string }, void>("cancel_mcp_auth", ignore),
  clearMcpAuth: method<{ readonly serverName: string }, void>("clear_mcp_auth", ignore),
  submitMcpAuthCode: method<
    { readonly serverName: string; readonly code: string; readonly state: string },
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

/** Methods that copy the session. Droid up to 0.117 then switches to the copy (see copies.ts). */
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

function readTool(value: JsonObject): ToolInfo {
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
    enabled: booleanField(value, "enabled") !== false,
    userInvocable: booleanField(value, "userInvocable") === true,
  };
}

function readContextStats(value: JsonObject): ContextStats {
  return {
    used: numberField(value, "used") ?? 0,
    remaining: numberField(value, "remaining") ?? 0,
    limit: numberField(value, "limit") ?? 0,
    accuracy: stringField(value, "accuracy"),
    updatedAt: stringField(value, "updatedAt"),
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

function readMcpTool(value: JsonObject): McpToolInfo {
  return {
    serverName: stringField(value, "serverName") ?? "",
    name: stringField(value, "name") ?? "",
    description: stringField(value, "description"),
    isEnabled: booleanField(value, "isEnabled") !== false,
  };
}

function isRewindFile(value: JsonObject): value is RewindFile {
  return typeof value["filePath"] === "string";
}
