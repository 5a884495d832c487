/** `dragoman/hub`: host agents for clients, with supervision, permission rules and shared sessions. */
export * from "../host/hub/public.ts";
export type { ToolKind } from "../protocol/acp/index.ts";
export type {
  PermissionTargets,
  ProtocolChoice,
  TargetCommand,
  TargetPath,
} from "../client/index.ts";
export type {
  RefusedRequest,
  RemoteLimits,
  TokenGrant,
  TokenRole,
} from "../transport/remote/index.ts";
export { RpcError } from "../transport/rpc/index.ts";
export * from "../client/rules/public.ts";
export type { ProtocolVersion } from "../protocol/translator/index.ts";
export type {
  EnvOverlay,
  JsonObject,
  Overrides,
  UserEnvironment,
  ExitStatus,
} from "../base/index.ts";
export type { Channel, CloseReason, RefusalReason } from "../transport/wire/index.ts";
