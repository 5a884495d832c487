import { CHECK_OPTIONS } from "./declaration.ts";
import type { CheckedSide, Requirement } from "../../../../conformance/index.ts";
import { table } from "../../render/text/table.ts";
import type { Context } from "../../context/context.ts";
import { checkView } from "./output/conclude.ts";
import { NEEDS } from "./needs.ts";
import { checkChoice } from "./options.ts";

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

/** Prints the requirements that the options choose. Throws a usage error for a word that names none. */
export function printList(context: Context, side: CheckedSide): void {
  const { requirements, ids } = checkChoice(context.values.with(CHECK_OPTIONS), side);
  const chosen = requirements.filter(({ id }) => ids.has(id));
  context.screen.answer(listText(chosen, checkView(context).columns));
}
