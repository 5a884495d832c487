import type { CheckedSide, Level, Provocation, Requirement } from "../requirement.ts";

/** A requirement as a row: id, level, provocation, source, sentence, and further fields. */
export type RequirementRow = readonly [
  id: string,
  level: Level,
  provoked: Provocation,
  source: string,
  title: string,
  more?: Pick<Requirement, "requires" | "optIn">,
];

/** The requirements of one area. */
// @__NO_SIDE_EFFECTS__
export function area(
  name: string,
  rows: readonly RequirementRow[],
  side: CheckedSide = "agent",
  protocol: 1 | 2 = 1,
): readonly Requirement[] {
  return rows.map(([id, level, provoked, source, title, more]) => ({
    id,
    level,
    side,
    protocol,
    area: name,
    title,
    source,
    provoked,
    ...more,
  }));
}
