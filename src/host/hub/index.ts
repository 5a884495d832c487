/** Hosts agents for clients: relays their messages, starts agents again, and shares sessions. */
export * from "./public.ts";
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
