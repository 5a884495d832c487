import type { CheckedSide } from "../requirement.ts";

/** One method: who sends it, and the names of the definitions of its params and result. */
export interface MethodEntry {
  readonly from: CheckedSide | "both";
  readonly params: string;
  /** Undefined for a notification. */
  readonly result: string | undefined;
}

type MethodRow = readonly [CheckedSide | "both", string, string, string?];

const COMMON: readonly MethodRow[] = [
  ["client", "initialize", "InitializeRequest", "InitializeResponse"],
  ["client", "session/new", "NewSessionRequest", "NewSessionResponse"],
  ["client", "session/resume", "ResumeSessionRequest", "ResumeSessionResponse"],
  ["client", "session/list", "ListSessionsRequest", "ListSessionsResponse"],
  ["client", "session/delete", "DeleteSessionRequest", "DeleteSessionResponse"],
  ["client", "session/close", "CloseSessionRequest", "CloseSessionResponse"],
  ["client", "session/prompt", "PromptRequest", "PromptResponse"],
  [
    "client",
    "session/set_config_option",
    "SetSessionConfigOptionRequest",
    "SetSessionConfigOptionResponse",
  ],
  ["agent", "session/request_permission", "RequestPermissionRequest", "RequestPermissionResponse"],
  ["agent", "elicitation/create", "CreateElicitationRequest", "CreateElicitationResponse"],
  ["agent", "elicitation/complete", "CompleteElicitationNotification"],
  ["both", "$/cancel_request", "CancelRequestNotification"],
];

const ONLY_V1: readonly MethodRow[] = [
  ["client", "authenticate", "AuthenticateRequest", "AuthenticateResponse"],
  ["client", "logout", "LogoutRequest", "LogoutResponse"],
  ["client", "session/load", "LoadSessionRequest", "LoadSessionResponse"],
  ["client", "session/set_mode", "SetSessionModeRequest", "SetSessionModeResponse"],
  ["client", "session/cancel", "CancelNotification"],
  ["agent", "session/update", "SessionNotification"],
  ["agent", "fs/read_text_file", "ReadTextFileRequest", "ReadTextFileResponse"],
  ["agent", "fs/write_text_file", "WriteTextFileRequest", "WriteTextFileResponse"],
  ["agent", "terminal/create", "CreateTerminalRequest", "CreateTerminalResponse"],
  ["agent", "terminal/output", "TerminalOutputRequest", "TerminalOutputResponse"],
  ["agent", "terminal/wait_for_exit", "WaitForTerminalExitRequest", "WaitForTerminalExitResponse"],
  ["agent", "terminal/kill", "KillTerminalRequest", "KillTerminalResponse"],
  ["agent", "terminal/release", "ReleaseTerminalRequest", "ReleaseTerminalResponse"],
];

const ONLY_V2: readonly MethodRow[] = [
  ["client", "auth/login", "LoginAuthRequest", "LoginAuthResponse"],
  ["client", "auth/logout", "LogoutAuthRequest", "LogoutAuthResponse"],
  ["client", "tool_call/cancel", "CancelToolCallRequest", "CancelToolCallResponse"],
  ["client", "terminal/cancel", "CancelTerminalRequest", "CancelTerminalResponse"],
  ["client", "session/cancel", "CancelSessionNotification"],
  ["agent", "session/update", "UpdateSessionNotification"],
];

/** Methods that only the unstable schemas have. */
const UNSTABLE: readonly MethodRow[] = [
  ["client", "session/fork", "ForkSessionRequest", "ForkSessionResponse"],
  ["client", "auth/status", "AuthStatusRequest", "AuthStatusResponse"],
  ["agent", "auth/status_update", "AuthStatusUpdateNotification"],
  ["client", "providers/list", "ListProvidersRequest", "ListProvidersResponse"],
  ["client", "providers/set", "SetProviderRequest", "SetProviderResponse"],
  ["client", "providers/disable", "DisableProviderRequest", "DisableProviderResponse"],
  ["client", "session/archive", "ArchiveSessionRequest", "ArchiveSessionResponse"],
  ["client", "session/unarchive", "UnarchiveSessionRequest", "UnarchiveSessionResponse"],
  ["client", "session/status", "SessionStatusRequest", "SessionStatusResponse"],
  ["client", "session/set_title", "SetSessionTitleRequest", "SetSessionTitleResponse"],
  ["agent", "mcp/message", "MessageMcpRequest", "MessageMcpResponse"],
];

/** A method that is a request in one direction, and a notification in both. */
export const MCP_NOTIFICATION = { method: "mcp/message", params: "MessageMcpNotification" };

function byName(rows: readonly MethodRow[]): ReadonlyMap<string, MethodEntry> {
  return new Map(rows.map(([from, name, params, result]) => [name, { from, params, result }]));
}

const V1_METHODS = /* @__PURE__ */ byName(
  /* @__PURE__ */ COMMON.concat(/* @__PURE__ */ ONLY_V1.concat(UNSTABLE)),
);
const V2_METHOD_TABLE = /* @__PURE__ */ byName(
  /* @__PURE__ */ COMMON.concat(/* @__PURE__ */ ONLY_V2.concat(UNSTABLE)),
);

/** Every method of a version, those of its unstable schema included. */
export function methodsOf(protocol: 1 | 2): ReadonlyMap<string, MethodEntry> {
  return protocol === 1 ? V1_METHODS : V2_METHOD_TABLE;
}
