/** Hosts agents for clients: relays their messages, starts agents again, and shares sessions. */
export * from "./public.ts";
export { checkNames, sessionAccess, type SessionRight, type SessionUse } from "./access.ts";
export { notAllowed, unknownSession } from "./errors.ts";
export { checkMcpServers } from "./roots.ts";
export { reopenMethod } from "./session/reopen.ts";
export { serveWith } from "./serve/serve.ts";
export { NamedRootLimits } from "./serve/root-limits.ts";
export { type FiguresServer, serveFigures } from "./serve/figures.ts";
export { Counter, formatMetric } from "./serve/metrics.ts";
