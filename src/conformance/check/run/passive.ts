import { requirementsFor, type Violation } from "../../index.ts";
import type { WatchedLink } from "../agent/agent-check.ts";
import type { EvidenceFrame } from "../result.ts";
import { evidenceOf } from "../verdicts.ts";

/** A passive violation with its evidence. */
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
export function passiveOf(
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
        lines: evidenceOf(
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

/** Both results together. */
export function mergePassive(one: PassiveResult, other: PassiveResult): PassiveResult {
  const judged = new Map(one.judged);
  for (const [id, count] of other.judged) judged.set(id, (judged.get(id) ?? 0) + count);
  return { violations: [...one.violations, ...other.violations], judged };
}
