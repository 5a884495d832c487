// The public interface of `dragoman/protocol`, written by `npm run docs`.

export type AgentAuthCapabilities = {
  logout?: LogoutCapabilities | null | undefined;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type AgentCapabilities = {
  loadSession?: boolean | undefined;
  promptCapabilities?: PromptCapabilities | undefined;
  mcpCapabilities?: McpCapabilities | undefined;
  sessionCapabilities?: SessionCapabilities | undefined;
  auth?: AgentAuthCapabilities | undefined;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type Annotations = {
  audience?: Array<Role> | null | undefined;
  lastModified?: string | null | undefined;
  priority?: number | null | undefined;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type AudioContent = {
  annotations?: Annotations | null | undefined;
  data: string;
  mimeType: string;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type AuthCapabilities = {
  terminal?: boolean | undefined;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type AuthMethod =
  | (AuthMethodTerminal & {
      type: "terminal";
    })
  | AuthMethodAgent;

export type AuthMethodAgent = {
  id: AuthMethodId;
  name: string;
  description?: string | null | undefined;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type AuthMethodId = string;

export type AuthMethodTerminal = {
  id: AuthMethodId;
  name: string;
  description?: string | null | undefined;
  args?: Array<string> | undefined;
  env?:
    | {
        [key: string]: string;
      }
    | undefined;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type AvailableCommand = {
  name: string;
  description: string;
  input?: AvailableCommandInput | null | undefined;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type AvailableCommandInput = UnstructuredCommandInput;

export type AvailableCommandsUpdate = {
  availableCommands: Array<AvailableCommand>;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type BlobResourceContents = {
  blob: string;
  mimeType?: string | null | undefined;
  uri: string;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type BooleanConfigOptionCapabilities = {
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type BooleanPropertySchema = {
  title?: string | null | undefined;
  description?: string | null | undefined;
  default?: boolean | null | undefined;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type ClientCapabilities = {
  fs?: FileSystemCapabilities | undefined;
  terminal?: boolean | undefined;
  session?: ClientSessionCapabilities | null | undefined;
  auth?: AuthCapabilities | undefined;
  elicitation?: ElicitationCapabilities | null | undefined;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type ClientSessionCapabilities = {
  compaction?: CompactionCapabilities | null | undefined;
  configOptions?: SessionConfigOptionsCapabilities | null | undefined;
  notices?: NoticeCapabilities | null | undefined;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type CompactionCapabilities = {
  [key: string]: unknown;
};

export type CompactionId = string;

export type CompactionStatus = "in_progress" | "completed" | "failed" | "cancelled" | string;

export type CompactionSummaryChunk = {
  compactionId: CompactionId;
  content: ContentBlock;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type CompactionUpdate = {
  compactionId: CompactionId;
  status: CompactionStatus;
  summary?: Array<ContentBlock> | null | undefined;
  error?: string | null | undefined;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type ConfigOptionUpdate = {
  configOptions: Array<SessionConfigOption>;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type Content = {
  content: ContentBlock;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type ContentBlock =
  | (TextContent & {
      type: "text";
    })
  | (ImageContent & {
      type: "image";
    })
  | (AudioContent & {
      type: "audio";
    })
  | (ResourceLink & {
      type: "resource_link";
    })
  | (EmbeddedResource & {
      type: "resource";
    });

export type ContentChunk = {
  content: ContentBlock;
  messageId?: MessageId | null | undefined;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type Cost = {
  amount: number;
  currency: string;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type CurrentModeUpdate = {
  currentModeId: SessionModeId;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type Diff = {
  path: string;
  oldText?: string | null | undefined;
  newText: string;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export declare const ERROR_CODES: {
  readonly authRequired: -32000;
  readonly resourceNotFound: -32002;
  readonly parseError: -32700;
  readonly invalidRequest: -32600;
  readonly methodNotFound: -32601;
  readonly invalidParams: -32602;
  readonly internalError: -32603;
  readonly requestCancelled: -32800;
};

export type ElicitationCapabilities = {
  form?: ElicitationFormCapabilities | null | undefined;
  url?: ElicitationUrlCapabilities | null | undefined;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type ElicitationContentValue = string | number | number | boolean | Array<string>;

export type ElicitationFormCapabilities = {
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type ElicitationPropertySchema = NonNullable<ElicitationSchema["properties"]>[string];

export type ElicitationSchema = {
  type?: ElicitationSchemaType | undefined;
  title?: string | null | undefined;
  properties?:
    | {
        [key: string]: ElicitationPropertySchema;
      }
    | undefined;
  required?: Array<string> | null | undefined;
  description?: string | null | undefined;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type ElicitationSchemaType = "object";

export type ElicitationUrlCapabilities = {
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type EmbeddedResource = {
  annotations?: Annotations | null | undefined;
  resource: EmbeddedResourceResource;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type EmbeddedResourceResource = TextResourceContents | BlobResourceContents;

export type EnumOption = {
  const: string;
  title: string;
  description?: string | null | undefined;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type EnvVariable = {
  name: string;
  value: string;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type FileSystemCapabilities = {
  readTextFile?: boolean | undefined;
  writeTextFile?: boolean | undefined;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type HttpHeader = {
  name: string;
  value: string;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type ImageContent = {
  annotations?: Annotations | null | undefined;
  data: string;
  mimeType: string;
  uri?: string | null | undefined;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type Implementation = {
  name: string;
  title?: string | null | undefined;
  version: string;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type IntegerPropertySchema = {
  title?: string | null | undefined;
  description?: string | null | undefined;
  minimum?: number | null | undefined;
  maximum?: number | null | undefined;
  default?: number | null | undefined;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type LogoutCapabilities = {
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type McpCapabilities = {
  http?: boolean | undefined;
  sse?: boolean | undefined;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type McpServer =
  | (McpServerHttp & {
      type: "http";
    })
  | (McpServerSse & {
      type: "sse";
    })
  | McpServerStdio;

export type McpServerHttp = {
  name: string;
  url: string;
  headers: Array<HttpHeader>;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type McpServerSse = {
  name: string;
  url: string;
  headers: Array<HttpHeader>;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type McpServerStdio = {
  name: string;
  command: string;
  args: Array<string>;
  env: Array<EnvVariable>;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type MessageId = string;

export type MultiSelectItems = MultiSelectPropertySchema["items"];

export type MultiSelectPropertySchema = {
  title?: string | null | undefined;
  description?: string | null | undefined;
  minItems?: number | null | undefined;
  maxItems?: number | null | undefined;
  items: MultiSelectItems;
  default?: Array<string> | null | undefined;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type Notice = {
  severity: NoticeSeverity;
  title: string;
  description?: string | null | undefined;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type NoticeCapabilities = {
  [key: string]: unknown;
};

export type NoticeSeverity = "info" | "warning" | "error" | string;

export type NumberPropertySchema = {
  title?: string | null | undefined;
  description?: string | null | undefined;
  minimum?: number | null | undefined;
  maximum?: number | null | undefined;
  default?: number | null | undefined;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export declare const PROTOCOL_VERSION = 1;

export type PermissionOption = {
  optionId: PermissionOptionId;
  name: string;
  kind: PermissionOptionKind;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type PermissionOptionId = string;

export type PermissionOptionKind = "allow_once" | "allow_always" | "reject_once" | "reject_always";

export type Plan = {
  entries: Array<PlanEntry>;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type PlanEntry = {
  content: string;
  priority: PlanEntryPriority;
  status: PlanEntryStatus;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type PlanEntryPriority = "high" | "medium" | "low";

export type PlanEntryStatus = "pending" | "in_progress" | "completed";

export type PromptCapabilities = {
  image?: boolean | undefined;
  audio?: boolean | undefined;
  embeddedContext?: boolean | undefined;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type ResourceLink = {
  annotations?: Annotations | null | undefined;
  description?: string | null | undefined;
  mimeType?: string | null | undefined;
  name: string;
  size?: number | null | undefined;
  title?: string | null | undefined;
  uri: string;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type Role = "assistant" | "user";

export type SessionAdditionalDirectoriesCapabilities = {
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type SessionCapabilities = {
  list?: SessionListCapabilities | null | undefined;
  delete?: SessionDeleteCapabilities | null | undefined;
  additionalDirectories?: SessionAdditionalDirectoriesCapabilities | null | undefined;
  resume?: SessionResumeCapabilities | null | undefined;
  close?: SessionCloseCapabilities | null | undefined;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type SessionCloseCapabilities = {
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type SessionConfigBoolean = {
  currentValue: boolean;
};

export type SessionConfigGroupId = string;

export type SessionConfigId = string;

export type SessionConfigOption = (
  | (SessionConfigSelect & {
      type: "select";
    })
  | (SessionConfigBoolean & {
      type: "boolean";
    })
) & {
  id: SessionConfigId;
  name: string;
  description?: string | null | undefined;
  category?: SessionConfigOptionCategory | null | undefined;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type SessionConfigOptionCategory =
  | "mode"
  | "model"
  | "model_config"
  | "thought_level"
  | string;

export type SessionConfigOptionsCapabilities = {
  boolean?: BooleanConfigOptionCapabilities | null | undefined;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type SessionConfigSelect = {
  currentValue: SessionConfigValueId;
  options: SessionConfigSelectOptions;
};

export type SessionConfigSelectGroup = {
  group: SessionConfigGroupId;
  name: string;
  options: Array<SessionConfigSelectOption>;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type SessionConfigSelectOption = {
  value: SessionConfigValueId;
  name: string;
  description?: string | null | undefined;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type SessionConfigSelectOptions =
  | Array<SessionConfigSelectOption>
  | Array<SessionConfigSelectGroup>;

export type SessionConfigValueId = string;

export type SessionDeleteCapabilities = {
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type SessionId = string;

export type SessionInfo = {
  sessionId: SessionId;
  cwd: string;
  additionalDirectories?: Array<string> | undefined;
  title?: string | null | undefined;
  updatedAt?: string | null | undefined;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type SessionInfoUpdate = {
  title?: string | null | undefined;
  updatedAt?: string | null | undefined;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type SessionListCapabilities = {
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type SessionMode = {
  id: SessionModeId;
  name: string;
  description?: string | null | undefined;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type SessionModeId = string;

export type SessionModeState = {
  currentModeId: SessionModeId;
  availableModes: Array<SessionMode>;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type SessionResumeCapabilities = {
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type SessionUpdate = SessionUpdate | DraftSessionUpdate;

export type StopReason = (typeof STOP_REASONS)[number];

export type StringFormat = "email" | "uri" | "date" | "date-time";

export type StringMultiSelectItems = {
  enum: Array<string>;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type StringPropertySchema = {
  title?: string | null | undefined;
  description?: string | null | undefined;
  minLength?: number | null | undefined;
  maxLength?: number | null | undefined;
  pattern?: string | null | undefined;
  format?: StringFormat | null | undefined;
  default?: string | null | undefined;
  enum?: Array<string> | null | undefined;
  oneOf?: Array<EnumOption> | null | undefined;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type TerminalContent = {
  terminalId: TerminalId;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type TerminalId = string;

export type TextContent = {
  annotations?: Annotations | null | undefined;
  text: string;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type TextResourceContents = {
  mimeType?: string | null | undefined;
  text: string;
  uri: string;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type TitledMultiSelectItems = {
  anyOf: Array<EnumOption>;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type ToolCall = {
  toolCallId: ToolCallId;
  title: string;
  name?: string | null | undefined;
  kind?: ToolKind | undefined;
  status?: ToolCallStatus | undefined;
  content?: Array<ToolCallContent> | undefined;
  locations?: Array<ToolCallLocation> | undefined;
  rawInput?: unknown;
  rawOutput?: unknown;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type ToolCallContent =
  | (Content & {
      type: "content";
    })
  | (Diff & {
      type: "diff";
    })
  | (TerminalContent & {
      type: "terminal";
    });

export type ToolCallId = string;

export type ToolCallLocation = {
  path: string;
  line?: number | null | undefined;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type ToolCallStatus = "pending" | "in_progress" | "completed" | "failed";

export type ToolCallUpdate = {
  toolCallId: ToolCallId;
  kind?: ToolKind | null | undefined;
  status?: ToolCallStatus | null | undefined;
  title?: string | null | undefined;
  name?: string | null | undefined;
  content?: Array<ToolCallContent> | null | undefined;
  locations?: Array<ToolCallLocation> | null | undefined;
  rawInput?: unknown;
  rawOutput?: unknown;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type ToolKind =
  | "read"
  | "edit"
  | "delete"
  | "move"
  | "search"
  | "execute"
  | "think"
  | "fetch"
  | "switch_mode"
  | "other";

export type UnstructuredCommandInput = {
  hint: string;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type UsageUpdate = {
  used: number;
  size: number;
  cost?: Cost | null | undefined;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

declare const STOP_REASONS: readonly [
  "end_turn",
  "max_tokens",
  "max_turn_requests",
  "refusal",
  "cancelled",
];
