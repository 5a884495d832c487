import {
  type JsonObject,
  booleanField,
  objectField,
  objectsField,
  stringField,
} from "../../base/index.ts";
import { UnsupportedByDroidError } from "../errors.ts";
import { type DroidSettings, type ToolSelection, readSettings, readModel } from "./settings.ts";
import type { DroidCapabilities, DroidVersion } from "./versions.ts";
import { readMessage, type DroidMessage, type GitRepo, type ModelInfo } from "./messages.ts";
import type { TokenUsage } from "../../protocol/acp/index.ts";
import { readSpent } from "./usage.ts";

/**
 * A text replaces Droid's instructions, apart from its identity and its rules for tools. `append` adds
 * to them.
 */
export type DroidSystemPrompt =
  | string
  | {
      /** The text after Droid's own instructions. */
      readonly append: string;
    };

/** A tag of a session. */
export interface DroidTag {
  readonly name: string;
  /** More about it, in texts. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

/** The capabilities of a version, and its numbers for error messages. */
interface DroidAbilities {
  readonly capabilities: DroidCapabilities;
  readonly version: DroidVersion;
}

/** The params of a system prompt. Throws UnsupportedByDroidError. */
export function systemPromptParams(
  prompt: DroidSystemPrompt | undefined,
  { capabilities, version }: DroidAbilities,
): JsonObject {
  if (prompt === undefined) return {};
  if (!capabilities.systemPrompt) throw new UnsupportedByDroidError("a system prompt", version);
  if (typeof prompt === "string") return { systemPrompt: prompt };
  return { systemPrompt: { type: "preset", preset: "droid", append: prompt.append } };
}

/** The params of tags. Every tested version stores them. */
export function tagParams(tags: readonly (string | DroidTag)[] | undefined): JsonObject {
  if (tags === undefined) return {};
  return { tags: tags.map((tag) => (typeof tag === "string" ? { name: tag } : { ...tag })) };
}

/** The params of a selection of tools. Throws UnsupportedByDroidError. */
export function toolParams(
  { additionalTools, disabledTools, restrictTools }: ToolSelection,
  { capabilities, version }: DroidAbilities,
): JsonObject {
  const support = capabilities.toolSelection;
  const requested = [additionalTools, disabledTools, restrictTools];
  if (support === "none" && requested.some((list) => list !== undefined))
    throw new UnsupportedByDroidError("a selection of tools", version);
  if (support === "switches" && restrictTools !== undefined)
    throw new UnsupportedByDroidError("restrictTools", version);
  // 0.117 knows only the older name.
  const additional = support === "switches" ? "enabledToolIds" : "additionalToolIds";
  return {
    ...(additionalTools && { [additional]: additionalTools }),
    ...(disabledTools && { disabledToolIds: disabledTools }),
    ...(restrictTools && { restrictToolIds: restrictTools }),
  };
}

/** The report of Droid about a session that was started or loaded. */
export interface DroidSessionInfo {
  readonly sessionId: string;
  /** Empty for a new session. */
  readonly messages: readonly DroidMessage[];
  /** The settings in effect when the session was opened. */
  readonly settings: DroidSettings;
  readonly models: readonly ModelInfo[];
  readonly title: string | undefined;
  readonly cwd: string | undefined;
  /** The `hostId` that Droid reports, which seems to name this machine. */
  readonly hostId: string | undefined;
  /** Only in 0.99. */
  readonly gitRepo: GitRepo | undefined;
  /** Whether Droid is in the middle of a turn in this session. */
  readonly isAgentLoopInProgress: boolean;
  /** Droid's activity when the session was opened, if it reports it. */
  readonly workingState: WorkingState | undefined;
  /** Whether the session has earlier messages that are not in `messages`. */
  readonly hasOlderMessages: boolean;
  /** The tokens of the session so far, if Droid reports them. */
  readonly usage: TokenUsage | undefined;
  /** The credits of the session so far, if Droid reports them. Not in 0.99. */
  readonly credits: number | undefined;
  /** The whole result, for fields that are not listed above. */
  readonly raw: JsonObject;
}

/** Reads the result of `initialize_session`, or of `load_session`, which does not contain the session id. */
export function readSessionInfo(raw: JsonObject, loadedId?: string): DroidSessionInfo {
  const session = objectField(raw, "session") ?? {};
  const gitRepo = objectField(raw, "gitRepo");
  const spent = readSpent(raw, "tokenUsage");
  return {
    sessionId: loadedId ?? stringField(raw, "sessionId") ?? "",
    messages: objectsField(session, "messages").map(readMessage),
    settings: readSettings(objectField(raw, "settings") ?? {}),
    models: objectsField(raw, "availableModels").map(readModel),
    title: stringField(session, "title"),
    cwd: stringField(raw, "cwd"),
    hostId: stringField(raw, "hostId"),
    gitRepo: gitRepo && readGitRepo(gitRepo),
    isAgentLoopInProgress: booleanField(raw, "isAgentLoopInProgress") === true,
    workingState: stringField(raw, "workingState"),
    hasOlderMessages: booleanField(raw, "hasOlderMessages") === true,
    usage: spent?.usage,
    credits: spent?.credits,
    raw,
  };
}

/** An MCP server for one session. It is never written to the project's or the user's files. */
export type DroidMcpServer =
  | {
      /** How Droid reaches the server. Default: `stdio`. */
      readonly type?: "stdio" | undefined;
      /** The name of the server; its tools are called `name___tool`. */
      readonly name: string;
      /** The executable that Droid starts. */
      readonly command: string;
      /** The arguments of the command. Default: none. */
      readonly args?: readonly string[] | undefined;
      /** Variables for the server, on top of Droid's environment. */
      readonly env?: Readonly<Record<string, string>> | undefined;
    }
  | {
      /** How Droid reaches the server. */
      readonly type: "http" | "sse";
      /** The name of the server; its tools are called `name___tool`. */
      readonly name: string;
      readonly url: string;
      /** HTTP headers for every request to the server. */
      readonly headers?: Readonly<Record<string, string>> | undefined;
    };

/** The status of a server that was passed to `start` or `load`. */
export interface McpServerReport {
  readonly name: string;
  /**
   * `failed`: Droid lists no tools of this server. Droid gives no other sign that a server did not
   * start, so a server without tools is also reported as failed. `unsupported`: this version of
   * Droid does not start servers.
   */
  readonly status: "connected" | "failed" | "unsupported";
  /** The names of its tools. */
  readonly tools: readonly string[];
}

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

function readGitRepo(value: JsonObject): GitRepo {
  return { owner: stringField(value, "owner"), repoName: stringField(value, "repoName") };
}
