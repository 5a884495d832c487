import type { JsonObject } from "../../../base/index.ts";
import type { Meta } from "../meta.ts";
import type { UnstableParamsOf } from "../unstable/params-types.ts";
import type { McpServer } from "../unstable/types.ts";
import type {
  AuthenticateRequest,
  CancelNotification,
  CancelRequestNotification,
  CloseSessionRequest,
  CompleteElicitationNotification,
  CreateElicitationRequest,
  CreateTerminalRequest,
  DeleteSessionRequest,
  InitializeRequest,
  KillTerminalRequest,
  ListSessionsRequest,
  LoadSessionRequest,
  LogoutRequest,
  NewSessionRequest,
  PromptRequest,
  ReadTextFileRequest,
  ReleaseTerminalRequest,
  ResumeSessionRequest,
  SetSessionConfigOptionRequest,
  SetSessionModeRequest,
  TerminalOutputRequest,
  WaitForTerminalExitRequest,
  WriteTextFileRequest,
} from "../types.ts";

/** An option of a permission request as received. Its kind may be unknown. */
export interface RawPermissionOption {
  readonly optionId: string;
  /** The label for the user, as the agent wrote it. */
  readonly name: string;
  /** The kind, as the agent sent it. */
  readonly kind: string;
  /** The `_meta` of the option, as received. */
  readonly _meta?: Meta | null | undefined;
}

/** Params with the fields of the unstable schema. `systemPrompt` is unchecked: see `systemPromptFaults`. */
type WithUnstable<P extends { mcpServers?: unknown }> = Omit<P, "mcpServers"> & {
  readonly mcpServers?: McpServer[] | undefined;
  readonly systemPrompt?: unknown;
};

/** The params of every method after validation. Capabilities stay raw: read them with `clientHas`. */
export interface ParamsOf extends UnstableParamsOf {
  initialize: Omit<InitializeRequest, "clientCapabilities"> & {
    readonly clientCapabilities?: JsonObject | null | undefined;
  };
  authenticate: AuthenticateRequest;
  logout: LogoutRequest;
  "session/new": WithUnstable<NewSessionRequest>;
  "session/load": WithUnstable<LoadSessionRequest>;
  "session/resume": WithUnstable<ResumeSessionRequest>;
  "session/fork": WithUnstable<ResumeSessionRequest>;
  /** `archived` is unchecked: only an agent with `unstable: true` reads it. */
  "session/list": ListSessionsRequest & { readonly archived?: unknown };
  "session/delete": DeleteSessionRequest;
  "session/close": CloseSessionRequest;
  "session/prompt": PromptRequest;
  "session/cancel": CancelNotification;
  "session/set_mode": SetSessionModeRequest;
  "session/set_config_option": SetSessionConfigOptionRequest;

  /** Read `update` with `toUpdate`. */
  "session/update": { readonly sessionId: string; readonly update: JsonObject };
  /** Read `toolCall` with `toToolCallPatch` and `options` with `toPermissionChoices`. */
  "session/request_permission": {
    readonly sessionId: string;
    readonly toolCall: JsonObject;
    readonly options: readonly RawPermissionOption[];
    /** Unchecked. Only agents of v2 send a title, a description and a subject. */
    readonly title?: unknown;
    readonly description?: unknown;
    readonly subject?: unknown;
  };
  "fs/read_text_file": ReadTextFileRequest;
  "fs/write_text_file": WriteTextFileRequest;
  "terminal/create": CreateTerminalRequest;
  "terminal/output": TerminalOutputRequest;
  "terminal/wait_for_exit": WaitForTerminalExitRequest;
  "terminal/kill": KillTerminalRequest;
  "terminal/release": ReleaseTerminalRequest;
  "elicitation/create": CreateElicitationRequest;
  "elicitation/complete": CompleteElicitationNotification;
  "$/cancel_request": CancelRequestNotification;
}
