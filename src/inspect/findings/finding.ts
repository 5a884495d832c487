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
  /** The event that broke the rule. */
  readonly message: string;
  /** The deciding frames, counted from 1. */
  readonly frames: readonly number[];
}

/** Makes findings for one version of the protocol. */
export class FindingMaker {
  readonly #byId: ReadonlyMap<string, Requirement>;

  constructor(protocol: 1 | 2) {
    // Some rules of version 1 are judged in version 2 too. Its own requirements come last, so they count.
    const versions = protocol === 1 ? ([1] as const) : ([1, 2] as const);
    const all = versions.flatMap((version) => [
      ...requirementsFor("agent", version),
      ...requirementsFor("client", version),
    ]);
    this.#byId = new Map(all.map((requirement) => [requirement.id, requirement]));
  }

  /** A finding about rows. A rule that is not in the registry is shown by its id alone. */
  make(rule: string, message: string, rows: readonly number[], isNote = false): Finding {
    const { level, side, title, source } = this.#byId.get(rule) ?? unlisted(rule);
    const severity = level === "MUST" && !isNote ? "error" : "note";
    const frames = rows.map((row) => row + 1);
    return { rule, severity, side, requirement: title, source, message, frames };
  }
}

/** Ids of clients begin with `DRC`. */
function unlisted(rule: string): Pick<Requirement, "level" | "side" | "title" | "source"> {
  return {
    level: "WARN",
    side: rule.startsWith("DRC") ? "client" : "agent",
    title: rule,
    source: "",
  };
}

/** The findings as `--findings json` prints them. */
export function findingsJson(findings: readonly Finding[]): string {
  return `${JSON.stringify({ v: 1, findings })}\n`;
}
