/** Runs the conformance suite against an agent or a client. */
export type {
  CheckReport,
  CheckResult,
  CheckStatus,
  CheckSubject,
  CheckSummary,
  EvidenceFrame,
} from "./result.ts";
export {
  type AcceptedResult,
  type Baseline,
  type BaselineEntry,
  BaselineError,
  baselineText,
  parseBaseline,
  updatedBaseline,
} from "./baseline.ts";
export * from "./report/index.ts";
export { selectIds, type Selection, SelectionError } from "./selection.ts";
export { summaryOf } from "./summary.ts";
export { judge, type RunOutcome, type Verdict } from "./verdict.ts";
export { FAIL_LEVELS, type FailLevel, isViolation } from "./violation.ts";
