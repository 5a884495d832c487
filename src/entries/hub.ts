/** `dragoman/hub`: host agents for clients, with supervision, permission rules and shared sessions. */
export * from "../hub/public.ts";
export type { ToolKind } from "../acp/index.ts";
export type {
  PermissionTargets,
  ProtocolChoice,
  TargetCommand,
  TargetPath,
} from "../client/index.ts";
export type { RefusedRequest, RemoteLimits, TokenGrant, TokenRole } from "../remote/index.ts";
export { RpcError } from "../rpc/index.ts";
export * from "../rules/public.ts";
export type { ProtocolVersion } from "../v2/index.ts";
export type {
  Channel,
  CloseReason,
  EnvOverlay,
  ExitStatus,
  JsonObject,
  Overrides,
  UserEnvironment,
} from "../wire/index.ts";
