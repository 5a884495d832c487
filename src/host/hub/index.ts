/** Hosts agents for clients: relays their messages, starts agents again, and shares sessions. */
export type * from "./events.ts";
export type * from "./options.ts";
export { type HubRoots, openRoots } from "./roots.ts";
export { type AuditEntry, type AuditLog, defaultAuditFile, openAuditLog } from "./audit.ts";
export { createHub } from "./hub.ts";
export { hubPolicy, type HubPolicyOptions } from "./policy/ruled-session.ts";
export { parseRoot, rootChecker, RootError } from "./roots.ts";
export * from "./proxy.ts";
export { translatedAgent, translatedClient } from "./translate.ts";
export { serveHub, CredentialsError } from "./serve/serve.ts";
export { ExposedAddressError } from "./serve/addresses.ts";
export * from "./serve/owners.ts";
export type * from "./serve/options.ts";
export { sessionAccess } from "./access.ts";
export {
  type BackendTraits,
  ClientPort,
  type LineTarget,
  type PortAttachment,
  type PortHub,
  type PortSession,
  type SessionBackend,
} from "./client/port.ts";
export {
  type ClientNotification,
  type ClientRequest,
  ServedClient,
} from "./client/served-client.ts";
export { unknownSession } from "./errors.ts";
export { notificationLine, requestLine, resultLine } from "./json/rpc-lines.ts";
export { memberSpan } from "./json/json-text.ts";
export { hubLimits } from "./hub.ts";
export { checkHubMcpServers } from "./roots.ts";
export {
  agentRequestOutcome,
  unattendedAnswer,
  type QuestionEnd,
  Questions,
  type Withdraw,
} from "./session/agent-requests.ts";
export { Attachment } from "./session/attachment.ts";
export { reopenMethod, Replay } from "./session/reopen.ts";
export { serveWith } from "./serve/serve.ts";
export { NamedRootLimits } from "./serve/root-limits.ts";
export { type MetricsServer, serveMetrics } from "./serve/metrics-server.ts";
export { Counter, gauge } from "./serve/metrics.ts";
