/** Runs the conformance suite against an agent or a client. */
export type { CheckReport, CheckResult, CheckSubject, CheckSummary } from "./result.ts";
export {
  type Baseline,
  BaselineError,
  BaselineIdError,
  baselineText,
  parseBaseline,
  updatedBaseline,
} from "./baseline.ts";
export * from "./report/index.ts";
export { parsePrompts } from "./agent/stage/prompts.ts";
export { RecordingCheck } from "./recordings.ts";
export { selectIds, SelectionError } from "./selection.ts";
export { judge, type RunOutcome } from "./run-verdict.ts";
export { FAIL_LEVELS, type FailLevel } from "./violation.ts";
export type { AgentCheckOptions, CaseTranscript } from "./run/options.ts";
export { checkAgent } from "./run/run-agent.ts";
export { commandSubject } from "./subject/command.ts";
export { remoteSubject } from "./subject/remote.ts";
export type { AgentSubject } from "./subject/subject.ts";
export { checkClient, type ClientCheckOptions } from "./client/check-client.ts";
export { type ClientDriver, parseDriver } from "./client/driver.ts";
export { runCheckingAgent } from "./client/relay/relay.ts";
export type { ClientCommand } from "./client/subject.ts";
