import type { CheckedSide, Requirement, RequirementTable } from "../requirement.ts";
import { AGENT_V1, AGENT_V2, CLIENT_V1, CLIENT_V2 } from "./table.ts";

/** The name of this set of requirements. A set does not change after its release. */
export const REQUIREMENT_SET = "2026-11";

/** Every requirement for one side and version, in the order of reports. */
export function requirementsFor(side: CheckedSide, protocol: 1 | 2): readonly Requirement[] {
  const [v1, v2] = side === "agent" ? [AGENT_V1, AGENT_V2] : [CLIENT_V1, CLIENT_V2];
  if (protocol === 1) return requirementsOf(v1, side, 1);
  const shared = Object.entries(v1).map(([area, rows]) => [
    area,
    rows.filter(([, , , , , more]) => more?.alsoV2),
  ]);
  return inAreas([
    ...requirementsOf(Object.fromEntries(shared), side, 2),
    ...requirementsOf(v2, side, 2),
  ]);
}

function requirementsOf(
  table: RequirementTable,
  side: CheckedSide,
  protocol: 1 | 2,
): readonly Requirement[] {
  return Object.entries(table).flatMap(([area, rows]) =>
    rows.map(([id, level, provoked, source, title, { requires, optIn, by } = {}]) => ({
      id,
      level,
      side,
      protocol,
      area,
      title,
      source,
      provoked,
      requires,
      optIn,
      by,
    })),
  );
}

/** Every requirement of a version, by its id. */
export function requirementsById(protocol: 1 | 2): ReadonlyMap<string, Requirement> {
  const all = [...requirementsFor("agent", protocol), ...requirementsFor("client", protocol)];
  return new Map(all.map((requirement) => [requirement.id, requirement]));
}

/** Brings the requirements of an area together, in the order in which the areas first appear. */
function inAreas(requirements: readonly Requirement[]): readonly Requirement[] {
  const areas = [...new Set(requirements.map(({ area }) => area))];
  return areas.flatMap((name) => requirements.filter(({ area }) => area === name));
}
