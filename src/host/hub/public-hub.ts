/** What both `dragoman/hub` and `dragoman/fleet` publish. */
export type * from "./events.ts";
export type {
  ClientRole,
  Hub,
  HubAgent,
  HubAgentInfo,
  HubClient,
  HubClientOptions,
  HubLimits,
  HubOptions,
  HubSessionInfo,
  OpenRequest,
  PolicyAnswer,
  PolicyOutcome,
  PolicyReply,
  PolicyRequest,
  PolicySession,
  SessionLogOptions,
  SessionOwners,
  SessionPolicy,
  UnjudgedRequest,
} from "./options.ts";
export { type HubRoot, type HubRoots, openRoots } from "./roots.ts";
