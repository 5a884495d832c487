/** Runs the conformance suite against an agent or a client. */
export {
  type CheckReport,
  type CheckResult,
  type CheckSubject,
  type CheckSummary,
  FAIL_LEVELS,
  type FailLevel,
} from "./check-report.ts";
export {
  type Baseline,
  BaselineError,
  BaselineIdError,
  baselineText,
  parseBaseline,
  updatedBaseline,
} from "./baseline.ts";
export {
  type AreaResults,
  baselineNotes,
  byArea,
  countsText,
  explanation,
  frameLines,
  type JudgedReport,
  notableResults,
  outcomeText,
  settingText,
  subjectText,
} from "./report/report-text.ts";
export { htmlReport } from "./report/html.ts";
export { parseReport, ReportError, reportJson } from "./report/json.ts";
export { junitXml } from "./report/junit.ts";
export { markdownReport } from "./report/markdown.ts";
export { MATRIX_MARKS } from "./report/matrix.ts";
export { reportRedactor } from "./report/redact.ts";
export { parsePrompts } from "./agent/stage/act.ts";
export { RecordingCheck } from "./recordings.ts";
export { selectIds, SelectionError } from "./selection.ts";
export { judge, type RunOutcome, type ResultVerdict, resultVerdict } from "./run-verdict.ts";
export type { AgentCheckOptions, CaseTranscript } from "./run/options.ts";
export { checkAgent } from "./run/run-agent.ts";
export { type AgentSubject, commandSubject, remoteSubject } from "./subject/subject.ts";
export { checkClient, type ClientCheckOptions } from "./client/check-client.ts";
export { type ClientDriver, parseDriver } from "./client/driver.ts";
export { runAgentRelay } from "./client/relay/relay.ts";
export type { ClientCommand } from "./client/subject.ts";
