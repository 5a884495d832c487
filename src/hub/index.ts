/** Hosts agents for clients: relays their messages, starts agents again, and shares sessions. */
export {
  type AuditLog,
  type AuditLogOptions,
  defaultAuditFile,
  openAuditLog,
} from "./audit/audit-log.ts";
export type { AuditEntry, AuditSource } from "./audit/entry.ts";
export { checkNames, type SessionRight, sessionAccess, type SessionUse } from "./access.ts";
export { HUB_CODES, notAllowed, unknownSession } from "./errors.ts";
export type { AgentEndCause, AgentEventPart, HubEvent, SessionEventPart } from "./events.ts";
export { createHub } from "./hub.ts";
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
export { hubPolicy } from "./policy/hub-policy.ts";
export type { HubPolicyOptions } from "./policy/policy-options.ts";
export {
  checkMcpServers,
  type HubRoot,
  type HubRoots,
  openRoots,
  parseRoot,
  rootChecker,
  type RootCheckerOptions,
  RootError,
} from "./roots.ts";
export { type AgentProxy, proxy, type ProxyEnd, type ProxyOptions } from "./proxy.ts";
export { translatedAgent } from "./translate/agent.ts";
export { translatedClient } from "./translate/client.ts";
export { serveHub } from "./serve-hub.ts";
export { reopenMethod } from "./session/reopen.ts";
export { serveWith } from "./serve/serve.ts";
export { NamedRootLimits } from "./serve/root-limits.ts";
export type { FromFiles } from "./serve/from-files.ts";
export { ExposedAddressError } from "./serve/addresses.ts";
export { CredentialsError } from "./serve/credentials.ts";
export { type FiguresServer, serveFigures } from "./serve/figures.ts";
export { Counter, formatMetric } from "./serve/metrics.ts";
export { fileOwners } from "./serve/owners.ts";
export type { HubServer, ServeEvent, ServeHubOptions, TlsCredentials } from "./serve/options.ts";
