import { CHECK_OPTIONS } from "./declaration.ts";
import {
  type CheckedSide,
  type Requirement,
  type Provocation,
  requirementsFor,
} from "../../../../conformance/index.ts";
import { type Columns, listText, markdownTable } from "../../render/text/table.ts";
import { type Context, stdoutView } from "../../context/context.ts";
import { checkChoice } from "./options.ts";

export function printRequirements(context: Context, side: CheckedSide): void {
  const { requirements, ids } = checkChoice(context.values.with(CHECK_OPTIONS), side);
  const chosen = requirements.filter(({ id }) => ids.has(id));
  context.screen.answer(listText(chosen, COLUMNS, stdoutView(context).columns));
}

const COLUMNS: Columns<Requirement> = {
  ID: "id",
  LEVEL: "level",
  AREA: "area",
  NEEDS: ({ provoked, requires }) =>
    requires === undefined ? NEEDS[provoked] : `${NEEDS[provoked]}, ${requires}`,
  REQUIREMENT: "title",
};

/** The preparation that each kind of requirement needs, for people. */
const NEEDS: Readonly<Record<Provocation, string>> = {
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

const LISTS: readonly (readonly [title: string, side: CheckedSide, protocol: 1 | 2])[] = [
  ["Agents", "agent", 1],
  ["Clients", "client", 1],
  ["Agents, draft of version 2", "agent", 2],
  ["Clients, draft of version 2", "client", 2],
];

/**
 * The parts of docs/check.md that are made from tables in the sources, by the name of their place in the
 * page. `npm run docs` writes them, and a test checks that they are current.
 */
export function requirementsReference(): Readonly<Record<"requirements", string>> {
  const parts = LISTS.flatMap(([title, side, protocol]) => {
    const all = requirementsFor(side, protocol);
    return [`### ${title}\n\n${all.length} requirements.`, ...areasOf(all)];
  });
  return { requirements: parts.join("\n\n") };
}

function areasOf(requirements: readonly Requirement[]): readonly string[] {
  const areas = [...new Set(requirements.map(({ area }) => area))];
  return areas.map((area) => {
    const rows = requirements
      .filter((one) => one.area === area)
      .map(({ id, level, title, provoked, requires, source }) => [
        id,
        level,
        title,
        requires === undefined ? NEEDS[provoked] : `${NEEDS[provoked]}, \`${requires}\``,
        source === "" ? "" : `\`${source}\``,
      ]);
    return `#### ${area}\n\n${markdownTable(["Id", "Level", "Requirement", "Needs", "Source"], rows)}`;
  });
}
