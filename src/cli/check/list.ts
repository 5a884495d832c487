import type { Provocation, Requirement } from "../../conformance/index.ts";
import { table } from "../render/text/table.ts";

/** What a requirement needs, in words. */
export const NEEDS: Readonly<Record<Provocation, string>> = {
  none: "no prompt",
  prompt: "a prompt",
  model: "a model",
  turn: "a turn",
  cancel: "a driver: cancel",
  load: "a driver: load",
  decision: "a driver: allow, deny",
  person: "a person",
  passive: "any traffic",
};

/** The requirements as a table. Pure. */
export function listText(
  requirements: readonly Requirement[],
  columns: number | undefined,
): string {
  const rows = requirements.map(({ id, level, area, provoked, requires, title }) => [
    id,
    level,
    area,
    requires === undefined ? NEEDS[provoked] : `${NEEDS[provoked]}, ${requires}`,
    title,
  ]);
  return table(["ID", "LEVEL", "AREA", "NEEDS", "REQUIREMENT"], rows, columns);
}
