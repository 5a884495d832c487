/** The viewer of `dragoman inspect`: its server, its page, and the findings about a session. */
export { type EmbeddedSession, exportPage, pageCsp, type PageSession } from "./export/page.ts";
export { contentLeft } from "./export/recording.ts";
export { entryRedactor } from "./entry-redactor.ts";
export { type Finding, findingsJson, SessionFindings } from "./findings.ts";
export { type InspectServer, type InspectServerOptions, serveInspector } from "./server/server.ts";
export { InspectedSession } from "./server/session.ts";
