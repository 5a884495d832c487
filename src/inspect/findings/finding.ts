import { type CheckedSide, type Requirement, requirementsFor } from "../../conformance/index.ts";

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
  /** What happened instead. */
  readonly message: string;
  /** The deciding frames, counted from 1. */
  readonly frames: readonly number[];
}

/** Makes findings for one version of the protocol. */
export class FindingMaker {
  readonly #byId: ReadonlyMap<string, Requirement>;

  constructor(protocol: 1 | 2) {
    const all = [...requirementsFor("agent", protocol), ...requirementsFor("client", protocol)];
    this.#byId = new Map(all.map((requirement) => [requirement.id, requirement]));
  }

  /** A finding about rows. Throws for an id that the version does not have: that is a mistake of ours. */
  make(rule: string, message: string, rows: readonly number[], isNote = false): Finding {
    const requirement = this.#byId.get(rule);
    if (!requirement) throw new Error(`there is no requirement ${rule}`);
    const { level, side, title, source } = requirement;
    const severity = level === "MUST" && !isNote ? "error" : "note";
    const frames = rows.map((row) => row + 1);
    return { rule, severity, side, requirement: title, source, message, frames };
  }
}

/** The findings as `--findings json` prints them. */
export function findingsJson(findings: readonly Finding[]): string {
  return `${JSON.stringify({ v: 1, findings })}\n`;
}
