/** Runs the conformance suite against an agent or a client. */
export type {
  CheckReport,
  CheckResult,
  CheckStatus,
  CheckSubject,
  CheckSummary,
  EvidenceFrame,
} from "./result.ts";
