import type { JsonObject } from "../../../base/index.ts";
import type { Meta } from "../meta.ts";
import type {
  ContentBlock,
  PlanEntry,
  StableMcpServer,
  StableSessionInfo,
  StableSessionUpdate,
} from "../types.ts";
import type { StopReason } from "../vocabulary.ts";

/*
 * The wire types of unstable ACP v1. They are written here and not taken from the SDK, whose unstable
 * types repeat all stable ones. A test compares them with the SDK's.
 */

/** An empty object, which means yes in capabilities. Null and absent mean no. */
interface CapabilityMarker {
  readonly _meta?: Meta | null | undefined;
}

/** Whether an agent can open sessions without a sign-in. */
export type AuthState = "authenticated" | "unauthenticated" | "not_required" | "unknown";

/** An account or credential that an agent has configured. For display only: do not log it. */
export interface AuthAccount {
  /** A name to show, such as `OpenAI API key`. */
  readonly label: string;
  /** Whether the agent uses it now; absent if the agent does not say. */
  readonly active?: boolean | null | undefined;
  readonly name?: string | null | undefined;
  /** The user's e-mail address. */
  readonly email?: string | null | undefined;
  /** The organization, team or workspace. */
  readonly organization?: string | null | undefined;
  readonly _meta?: Meta | null | undefined;
}

/** The answer to `auth/status`, and the content of `auth/status_update`. */
export interface AuthStatus {
  /** Whether a sign-in is needed. The only field to act on. */
  readonly state: AuthState;
  /** The configured accounts. Absent means none. */
  readonly accounts?: readonly AuthAccount[] | undefined;
  readonly _meta?: Meta | null | undefined;
}

/** The API that a model provider speaks: one of these, or another word. Custom words start with `_`. */
type LlmProtocol = "anthropic" | "openai" | "azure" | "vertex" | "bedrock" | (string & {});

/** How an agent reaches a model provider now, without secrets. */
export interface ProviderRouting {
  /** The API it speaks. */
  readonly apiType: LlmProtocol;
  /** The address that requests go to. */
  readonly baseUrl: string;
  readonly _meta?: Meta | null | undefined;
}

/** A model provider that a client can configure in an agent. */
export interface ProviderInfo {
  /** Such as `main` or `openai`. */
  readonly providerId: string;
  /** The APIs that it may be set to. */
  readonly supported: readonly LlmProtocol[];
  /** True if it cannot be disabled. */
  readonly required: boolean;
  /** Null or absent if the provider is disabled. */
  readonly current?: ProviderRouting | null | undefined;
  readonly _meta?: Meta | null | undefined;
}

/** The whole configuration of one model provider. It replaces the earlier one. */
export interface ProviderSettings {
  /** The API to speak, one of the provider's `supported`. */
  readonly apiType: LlmProtocol;
  /** The address to send requests to. */
  readonly baseUrl: string;
  /** All headers of these requests. They may contain secrets. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Whether an agent has a session in memory or only stored. */
export type SessionStatus = "open" | "saved";

/** Which sessions a list contains, by whether they are archived. */
export type SessionArchiveFilter = "exclude" | "include" | "only";

/** A stored session. */
export interface SessionInfo extends StableSessionInfo {
  /** Whether it is archived. Only agents and clients with `unstable: true` send and read it. */
  archived?: boolean | null | undefined;
}

/** How an agent combines the client's instructions with its own. */
export type SystemPromptMode = "append" | "override";

/** Instructions from the client for a session. */
export interface SystemPrompt {
  /** Whether the instructions are added to the agent's own or replace them. */
  readonly mode: SystemPromptMode;
  /** The instructions. The protocol allows only text so far. */
  readonly content: readonly ContentBlock[];
  readonly _meta?: Meta | null | undefined;
}

/** The tokens that a turn, or the work of a subagent, has used. */
export interface TokenUsage {
  readonly totalTokens: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly thoughtTokens?: number | null | undefined;
  readonly cachedReadTokens?: number | null | undefined;
  readonly cachedWriteTokens?: number | null | undefined;
  readonly _meta?: Meta | null | undefined;
}

/** The whole content of one plan: its entries, a file, or Markdown. */
export type PlanContent =
  | {
      readonly type: "items";
      readonly planId: string;
      /** All entries. */
      readonly entries: readonly PlanEntry[];
    }
  | {
      readonly type: "file";
      readonly planId: string;
      readonly uri: string;
    }
  | {
      readonly type: "markdown";
      readonly planId: string;
      readonly content: string;
    };

/** A failure, in the form of a JSON-RPC error. */
interface SubagentFailure {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** The current work of a subagent. Idle does not end it: its parent can give it more work. */
export type SubagentActivity =
  | {
      /** At work, waiting for the user, or not known to the agent. */
      readonly state: "running" | "requires_action" | "unknown";
    }
  | {
      readonly state: "idle";
      /** Why the work stopped: a stop reason, `error`, or the agent's own word. */
      readonly stopReason?: StopReason | "error" | (string & {}) | null | undefined;
      /** The failure, if the stop reason is `error`. */
      readonly error?: SubagentFailure | null | undefined;
      /** The tokens used by the completed work. */
      readonly usage?: TokenUsage | null | undefined;
    };

/** The calls that a client may make about a subagent. */
interface SubagentCapabilities {
  /** Present if the client may cancel the subagent's work. */
  readonly cancel?: CapabilityMarker | null | undefined;
}

/** Details of a subagent, a child session. Absent fields stay as they are and null clears one. */
export interface SubagentDetails {
  readonly title?: string | null | undefined;
  readonly description?: string | null | undefined;
  /** The calls that the client may make. Default: none. */
  readonly capabilities?: SubagentCapabilities | null | undefined;
  /** Its current work; absent or null if that is not known. */
  readonly state?: SubagentActivity | null | undefined;
  /** Its working folder, an absolute path. Default: that of its parent. */
  readonly cwd?: string | null | undefined;
  /** More folders, as absolute paths. Default: those of its parent. */
  readonly additionalDirectories?: readonly string[] | null | undefined;
}

/** Details of a message between two sessions. An absent field stays as it is and null clears it. */
export interface SessionMessageDetails {
  readonly senderSessionId?: string | null | undefined;
  readonly recipientSessionId?: string | null | undefined;
  readonly senderMessageId?: string | null | undefined;
  readonly recipientMessageId?: string | null | undefined;
  /** The whole content. Null and `[]` clear it. */
  readonly content?: readonly ContentBlock[] | null | undefined;
}

/** A plan with an id, as an agent sends it. */
interface PlanUpdate {
  readonly sessionUpdate: "plan_update";
  /** The whole plan. */
  readonly plan: PlanContent;
  readonly _meta?: Meta | null | undefined;
}

/** The removal of a plan with an id, as an agent sends it. */
interface PlanRemoved {
  readonly sessionUpdate: "plan_removed";
  readonly planId: string;
  readonly _meta?: Meta | null | undefined;
}

/** A subagent, or what changed about it, as an agent sends it. */
interface SubagentUpdate extends SubagentDetails {
  readonly sessionUpdate: "subagent_update";
  readonly sessionId: string;
  readonly _meta?: Meta | null | undefined;
}

/** A message between two sessions, or what changed about it, as an agent sends it. */
interface SessionMessage extends SessionMessageDetails {
  readonly sessionUpdate: "session_message";
  readonly messageId: string;
  readonly _meta?: Meta | null | undefined;
}

/** The next part of a message between two sessions, as an agent sends it. */
interface SessionMessageChunk {
  readonly sessionUpdate: "session_message_chunk";
  readonly messageId: string;
  readonly content: ContentBlock;
  readonly _meta?: Meta | null | undefined;
}

/** The session updates that only the unstable schema has, as an agent sends them. */
export type UnstableSessionUpdate =
  | PlanUpdate
  | PlanRemoved
  | SubagentUpdate
  | SessionMessage
  | SessionMessageChunk;

/** A session update as an agent sends it. The last group needs `unstable: true` on both sides. */
export type SessionUpdate = StableSessionUpdate | DraftSessionUpdate;

/** An update of a draft, as it stands on the wire. `dragoman/unstable` describes its fields. */
interface DraftSessionUpdate {
  readonly sessionUpdate: UnstableSessionUpdate["sessionUpdate"];
  readonly _meta?: Meta | null | undefined;
}

/** An MCP server in the client's process, which the agent reaches through `mcp/message`. */
interface McpServerAcp {
  readonly type: "acp";
  readonly name: string;
  readonly serverId: string;
  readonly _meta?: Meta | null | undefined;
}

/** An MCP server of a session. `acp` needs `unstable: true`. */
export type McpServer = StableMcpServer | McpServerAcp;

/** The params of `mcp/message`: one MCP request, or one MCP notification that belongs to a request. */
export interface McpMessageParams {
  readonly serverId: string;
  readonly requestId: string;
  /** The MCP method, such as `tools/call`. */
  readonly method: string;
  /** The params of the MCP method. */
  readonly params?: JsonObject | null | undefined;
  readonly _meta?: Meta | null | undefined;
}

/** An error of MCP. Its code is not a code of ACP. */
export interface McpErrorObject {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** How an MCP request ended. */
export type McpOutcome =
  | {
      /** The result of the method, as the server sent it. */
      readonly result: unknown;
    }
  | {
      /** The error of the server. */
      readonly error: McpErrorObject;
    };

/** The params of `proxy/successor`: one message to or from the next component of a proxy chain. */
export interface ProxyMessage {
  readonly method: string;
  /** The params of the message, unchanged. */
  readonly params?: unknown;
}

/** The unstable capabilities of an agent, as on the wire. They add to `AgentCapabilities`. */
export interface UnstableAgentCapabilities {
  /** MCP transports. */
  readonly mcpCapabilities?:
    | {
        /** MCP servers in the client's process. */
        readonly acp?: boolean | undefined;
      }
    | undefined;
  /** Calls about sessions. */
  readonly sessionCapabilities?:
    | {
        /** `systemPrompt` when opening a session. */
        readonly systemPrompt?:
          | {
              /** Modes besides `append`. */
              readonly mode?:
                | {
                    /** Instructions that replace the agent's own. */
                    readonly override?: CapabilityMarker | undefined;
                  }
                | undefined;
            }
          | undefined;
        /** `session/fork`. */
        readonly fork?: CapabilityMarker | undefined;
        /** `session/archive`, `session/unarchive` and the list filter `archived`. */
        readonly archive?: CapabilityMarker | undefined;
        /** `session/status`. */
        readonly status?: CapabilityMarker | undefined;
        /** `session/set_title`. */
        readonly title?: CapabilityMarker | undefined;
      }
    | undefined;
  /** `auth/status`. */
  readonly auth?:
    | {
        /** `auth/status` and its updates. */
        readonly status?: CapabilityMarker | undefined;
      }
    | undefined;
  /** `providers/list`, `providers/set` and `providers/disable`. */
  readonly providers?: CapabilityMarker | undefined;
}

/** The unstable capabilities of a client, as on the wire. They add to `ClientCapabilities`. */
export interface UnstableClientCapabilities {
  /** `plan_update` and `plan_removed`. */
  readonly plan?: CapabilityMarker | undefined;
  /** `subagent_update`, `session_message` and `session_message_chunk`. */
  readonly subagents?: CapabilityMarker | undefined;
}
