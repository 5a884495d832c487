import { type Requirement, requirementsFor, type Violation } from "../../index.ts";
import type { WatchedLink } from "../agent/agent-check.ts";
import { type CheckResult, type EvidenceFrame, reportedFrames } from "../check-report.ts";
import type { CaseVerdict } from "../verdicts.ts";

export interface SeenViolation extends Violation {
  readonly lines: readonly EvidenceFrame[];
}

/** The observations of passive judges during one attempt. */
export interface PassiveResult {
  readonly violations: readonly SeenViolation[];
  readonly judged: ReadonlyMap<string, number>;
}

/** The judge of a connection sees more requirements, but a case that provokes one has the last word about it. */
const PASSIVE_IDS: ReadonlySet<string> = new Set(
  ([1, 2] as const)
    .flatMap((protocol) => requirementsFor("agent", protocol))
    .filter(({ provoked }) => provoked === "passive")
    .map(({ id }) => id),
);

/** The passive results of connections, from the violations after `seen` on. */
export function passiveResultOf(
  watched: readonly WatchedLink[],
  seen: ReadonlyMap<WatchedLink, number> = new Map(),
): PassiveResult {
  const judged = new Map<string, number>();
  for (const { link } of watched) {
    for (const [id, count] of link.judge.judged) judged.set(id, (judged.get(id) ?? 0) + count);
  }
  const violations = watched.flatMap((one) =>
    one.link.judge.violations
      .slice(seen.get(one) ?? 0)
      .filter(({ id }) => PASSIVE_IDS.has(id))
      .map((violation) => ({
        ...violation,
        lines: reportedFrames(
          violation.frames.flatMap((n) => {
            const frame = one.link.frames[n - 1];
            return frame ? [frame] : [];
          }),
        ),
      })),
  );
  return { violations: [...violations, ...watched.flatMap(leaks)], judged };
}

const SECRETS_ID = "DRA-AUTH-05";

/** A secret on stderr, which passive judges do not see. */
function leaks({ link, secret }: WatchedLink): readonly SeenViolation[] {
  if (!link.transport.stderr().includes(secret)) return [];
  return [
    {
      id: SECRETS_ID,
      side: "agent",
      actual: "stderr contains the value of DRAGOMAN_CHECK_API_KEY",
      frames: [],
      lines: [],
    },
  ];
}

export function mergePassiveResults(one: PassiveResult, other: PassiveResult): PassiveResult {
  const judged = new Map(one.judged);
  for (const [id, count] of other.judged) judged.set(id, (judged.get(id) ?? 0) + count);
  return { violations: [...one.violations, ...other.violations], judged };
}

/** The passive results of a whole run. */
export class PassiveTotals {
  readonly #judged = new Map<string, number>();
  readonly #confirmed = new Map<string, SeenViolation>();
  readonly #unconfirmed = new Map<string, SeenViolation>();

  /** Adds the first run of a case. Returns the ids of violations that are not confirmed yet. */
  add({ judged, violations }: PassiveResult): readonly string[] {
    for (const [id, count] of judged) this.#judged.set(id, (this.#judged.get(id) ?? 0) + count);
    for (const violation of violations) {
      if (!this.#unconfirmed.has(violation.id)) this.#unconfirmed.set(violation.id, violation);
    }
    const ids = new Set(violations.map(({ id }) => id));
    return [...ids].filter((id) => !this.#confirmed.has(id));
  }

  /** Adds the repetition of a case in a fresh process. */
  repeated({ violations }: PassiveResult): void {
    for (const violation of violations) {
      if (!this.#confirmed.has(violation.id)) this.#confirmed.set(violation.id, violation);
    }
  }

  judged(id: string): number {
    return this.#judged.get(id) ?? 0;
  }

  /** The violation of a requirement, and whether a repetition showed it again. */
  violation(
    id: string,
  ): { readonly violation: SeenViolation; readonly isConfirmed: boolean } | undefined {
    const confirmed = this.#confirmed.get(id);
    if (confirmed) return { violation: confirmed, isConfirmed: true };
    const violation = this.#unconfirmed.get(id);
    return violation && { violation, isConfirmed: false };
  }
}

type Partial = Pick<CheckResult, "status" | "actual" | "evidence" | "reason" | "frames" | "ms"> & {
  readonly level?: CheckResult["level"] | undefined;
};

const NOTHING: Partial = {
  status: "untested",
  actual: "",
  evidence: "",
  reason: undefined,
  frames: [],
  ms: 0,
};

/** A result of a requirement. INFO is recorded, never judged, so it cannot fail. */
function resultOf(requirement: Requirement, part: Partial): CheckResult {
  const { id, level, area, title, source } = requirement;
  const isViolation = part.status === "failed" || part.status === "unstable";
  const own: Partial =
    level === "INFO" && isViolation ? { ...part, status: "passed", evidence: part.actual } : part;
  const expected = isViolation ? title : "";
  return { id, area, title, source, ...own, expected, level: own.level ?? level };
}

/** The reason of requirements that were not chosen. */
export const LEFT_OUT = "left out by --only or --skip";

/** A requirement that was not judged, with the reason. */
export function unjudged(
  requirement: Requirement,
  status: "skipped" | "untested",
  reason: string,
): CheckResult {
  return resultOf(requirement, { ...NOTHING, status, reason });
}

/** The result of an active requirement, from the first run of its case and its repetition. */
export function activeResult(
  requirement: Requirement,
  first: CaseVerdict | undefined,
  repeated: CaseVerdict | undefined,
  ms: number,
): CheckResult {
  if (!first) return unjudged(requirement, "untested", "the case saw nothing to judge");
  if (first.status !== "failed" || !repeated) return resultOf(requirement, { ...first, ms });
  if (repeated.status === "failed") return resultOf(requirement, { ...repeated, ms });
  return resultOf(requirement, {
    ...first,
    status: "unstable",
    reason: `failed at first; repeated in a fresh process: ${repeated.status}${repeated.reason === undefined ? "" : ` (${repeated.reason})`}`,
    ms,
  });
}

/** The result of a passive requirement, from all connections of the run. */
export function passiveResult(requirement: Requirement, totals: PassiveTotals): CheckResult {
  const { id } = requirement;
  const count = totals.judged(id);
  const found = totals.violation(id);
  if (!found) {
    return count === 0
      ? unjudged(requirement, "untested", "no frame to judge")
      : resultOf(requirement, { ...NOTHING, status: "passed", evidence: `judged ${count} times` });
  }
  const { actual, level, lines: frames } = found.violation;
  return resultOf(requirement, {
    ...NOTHING,
    status: found.isConfirmed ? "failed" : "unstable",
    reason: found.isConfirmed ? undefined : "not seen again when the case was repeated",
    actual,
    frames,
    level,
  });
}
