/** `dragoman`: a client for agents that speak the Agent Client Protocol. */
export * from "./public.ts";
export { readSharedSession } from "./attach/attach.ts";
export { ATTACH_META, ATTACH_METHODS, ROOT_META, SEQ_META } from "./attach/extension.ts";
export { configOptionValues } from "./session/config-options.ts";
export { collectAnswer } from "./turn/collect-answer.ts";
export { openUrl } from "./start.ts";
export type { GateSession, SessionAccess } from "./gate/access.ts";
export { cancelledError, deniedError } from "./gate/rpc-errors.ts";
export { PermissionMemory } from "./gate/permissions/memory.ts";
export * from "./gate/gate.ts";
export { JailError } from "./gate/jail/errors.ts";
export { diskWorkspace } from "./gate/workspace/disk-workspace.ts";
export type { Workspace } from "./gate/workspace/virtual-workspace.ts";
export {
  canChangeCommand,
  coveredTargets,
  isInside,
  locateMentions,
  type Mentions,
  type RequestedWork,
  WORK_KINDS,
} from "./gate/permissions/targets.ts";
export { START_OPTIONS } from "./config.ts";
export { DEFAULT_TIMEOUTS } from "./connection/timeouts.ts";
export { authMethod, isTerminalMethod, loginCommand } from "./auth.ts";
export { runInTerminal } from "./platform.ts";
export { OWN_OPTIONS, allows, chooseOption } from "./gate/permissions/policy.ts";
