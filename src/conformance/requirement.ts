/** How much a violation matters. INFO is recorded and never judged. */
export const LEVELS = ["MUST", "SHOULD", "WARN", "INFO"] as const;
export type Level = (typeof LEVELS)[number];

/** The end of a connection that a requirement is about. */
export type CheckedSide = "agent" | "client";

/**
 * How a requirement is provoked. For agents: `none` needs no prompt, `prompt` needs a prompt with any
 * answer, `model` needs a turn that does a certain thing. For clients: `turn` needs one turn, `cancel`,
 * `load` and `decision` need a driver that makes the client do it, `person` needs a person. `passive`
 * is judged over all frames of all cases.
 */
export type Provocation =
  | "none"
  | "prompt"
  | "model"
  | "turn"
  | "cancel"
  | "load"
  | "decision"
  | "person"
  | "passive";

/** One rule that an agent or a client keeps or breaks. */
export interface Requirement {
  /** Stable, such as `ACP-INIT-001`. Ids that begin with `ACP-` are those of the acp-tck. */
  readonly id: string;
  readonly level: Level;
  readonly side: CheckedSide;
  /** The version of the protocol. */
  readonly protocol: 1 | 2;
  /** The name of its area, such as `initialize`: a group of the report, and a word for `--only`. */
  readonly area: string;
  /** One sentence that says what the subject does when it keeps the rule. */
  readonly title: string;
  /** The page and anchor under `docs/protocol` of the protocol's repository; "" if no page has it. */
  readonly source: string;
  readonly provoked: Provocation;
  /** The capability without which the requirement does not apply, such as `loadSession`. */
  readonly requires?: string | undefined;
  /** Set if the case changes something outside the run, so it needs an explicit option. */
  readonly optIn?: string | undefined;
  /** The name of the case that judges an agent; undefined if all traffic shows it. */
  readonly by?: string | undefined;
}

/** A requirement as a row of its area. */
type RequirementRow = readonly [
  id: string,
  level: Level,
  provoked: Provocation,
  source: string,
  title: string,
  more?: Pick<Requirement, "requires" | "optIn" | "by"> & { readonly alsoV2?: true },
];

/** The rows of each area. */
export type RequirementTable = Readonly<Record<string, readonly RequirementRow[]>>;
