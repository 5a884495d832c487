/** Sessions of ACP as they happened: reading, understanding, searching, comparing, exporting. Pure. */
export { align, type AlignedPair, compareTexts, type TextPiece } from "./compare/align.ts";
export {
  type CompareOptions,
  compareSessions,
  type SessionComparison,
  type TurnComparison,
} from "./compare/compare.ts";
export {
  type FieldDifference,
  fieldDifferences,
  partiesOf,
  type SessionParties,
  setupDifferences,
  setupOf,
} from "./compare/setup.ts";
export { exportMarkdown, itemMarkdown, type ExportMarkdownOptions } from "./export/markdown.ts";
export { type EmbeddedSession, exportPage, pageCsp, type PageSession } from "./export/page.ts";
export {
  contentLeft,
  type ContentLeft,
  type ExportOptions,
  exportRecording,
} from "./export/recording.ts";
export { entryRedactor, type EntryRedactor } from "./export/redaction.ts";
export { exportTraceEvents, type TraceEvent } from "./export/trace-events.ts";
export { type Finding, findingsJson } from "./findings/finding.ts";
export { SessionFindings } from "./findings/findings.ts";
export { methodNumbers, type MethodNumbers } from "./numbers/methods.ts";
export type { Figure } from "./numbers/percentiles.ts";
export { trafficNumbers, type TrafficNumbers } from "./numbers/traffic.ts";
export { turnNumbers, type TurnNumbers } from "./numbers/turns.ts";
export { type JudgedSession } from "./server/judge.ts";
export { RecordingLog, type RecordingLogOptions } from "./server/recording-log.ts";
export { type InspectServer, type InspectServerOptions, serveInspector } from "./server/server.ts";
export { InspectedSession, type InspectedSessionOptions } from "./server/session.ts";
export { type Filter, type FilterTerm, type NumberTest, parseFilter } from "./search/filter.ts";
export { filterFrames, type RulesOfRow, searchFrames, searchLines } from "./search/search.ts";
