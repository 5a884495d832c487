/** Hosts agents for clients: relays their messages, starts agents again, and shares sessions. */
export type { AgentEndCause, HubEvent } from "./events.ts";
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
  PolicyRequest,
  PolicySession,
  SessionLogOptions,
  SessionOwners,
  SessionPolicy,
} from "./options.ts";
