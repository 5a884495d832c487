import { type CheckedSide, requirementsById, type Violation } from "../../../conformance/index.ts";

/** A place where a side broke a rule of the protocol. */
export interface Finding {
  /** The id of the requirement, as `dragoman check` names it. */
  readonly rule: string;
  /** `error` for what the protocol demands, `note` for what is only recommended or worth a look. */
  readonly severity: "error" | "note";
  /** The side that broke the rule. */
  readonly side: CheckedSide;
  /** The rule in one sentence. */
  readonly requirement: string;
  /** The page and section of the specification; empty if no page has it. */
  readonly source: string;
  /** The event that broke the rule. */
  readonly message: string;
  /** The deciding frames, counted from 1. */
  readonly frames: readonly number[];
}

/** The finding that a violation on a connection of this version is. */
export function findingOf(
  { id, side, expected, actual, frames, level }: Violation,
  protocol: 1 | 2,
): Finding {
  const known = requirementsById(protocol).get(id);
  const severity = (level ?? known?.level) === "MUST" ? "error" : "note";
  const message = `${actual}; expected ${expected}`;
  const { title = id, source = "" } = known ?? {};
  return { rule: id, severity, side, requirement: title, source, message, frames };
}

/** The findings as `--findings json` prints them. */
export function findingsJson(findings: readonly Finding[]): string {
  return `${JSON.stringify({ v: 1, findings })}\n`;
}
