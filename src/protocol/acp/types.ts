/**
 * The wire types of ACP v1, as the protocol's own project generates them from its schema.
 * These are types only: no SDK code is loaded at run time.
 */
export type * from "./types/agent.ts";
export type * from "./types/client.ts";
export type * from "./types/shared.ts";

/** Parameters and results of methods. No entry publishes them. */
export type {
  AuthenticateRequest,
  CancelNotification,
  CancelRequestNotification,
  CloseSessionRequest,
  CompleteElicitationNotification,
  CreateElicitationRequest,
  CreateTerminalRequest,
  DeleteSessionRequest,
  InitializeRequest,
  InitializeResponse,
  KillTerminalRequest,
  ListSessionsRequest,
  LoadSessionRequest,
  LogoutRequest,
  NewSessionRequest,
  PromptRequest,
  PromptResponse,
  ReadTextFileRequest,
  ReleaseTerminalRequest,
  ResumeSessionRequest,
  SetSessionConfigOptionRequest,
  SetSessionModeRequest,
  TerminalOutputRequest,
  WaitForTerminalExitRequest,
  WriteTextFileRequest,
} from "@agentclientprotocol/sdk";
