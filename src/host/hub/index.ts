/** Hosts agents for clients: relays their messages, starts agents again, and shares sessions. */
export * from "./public.ts";
export { sessionAccess } from "./access.ts";
export type * from "./client/backend.ts";
export { ClientPort } from "./client/port.ts";
export {
  type ClientNotification,
  type ClientRequest,
  ServedClient,
} from "./client/served-client.ts";
export { unknownSession } from "./errors.ts";
export { memberSpan } from "./json/span.ts";
export { notificationLine, requestLine, resultLine } from "./json/write.ts";
export { hubLimits } from "./options.ts";
export { checkMcpServers } from "./roots.ts";
export { outcomeOf } from "./session/agent-requests.ts";
export { Attachment } from "./session/attachment.ts";
export { type Asked, type QuestionEnd, Questions, type Withdraw } from "./session/questions.ts";
export { reopenMethod } from "./session/reopen.ts";
export { serveWith } from "./serve/serve.ts";
export { NamedRootLimits } from "./serve/root-limits.ts";
export { type FiguresServer, serveFigures } from "./serve/figures.ts";
export { Counter, formatMetric } from "./serve/metrics.ts";
