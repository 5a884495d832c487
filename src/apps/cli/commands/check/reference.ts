import {
  type CheckedSide,
  type Requirement,
  requirementsFor,
} from "../../../../conformance/index.ts";
import { markdownTable } from "../../render/text/table.ts";
import { NEEDS } from "./needs.ts";

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
export function checkReference(): Readonly<Record<"requirements", string>> {
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
