import { table } from "../../support/doc-section.ts";
import { agentNames, type AgentName } from "./agents.ts";
import { scenarioNames, scenarioTitles, type ForeignClient, type ScenarioName } from "./client.ts";

/** One cell of a matrix in docs/interop.md. */
export interface Cell {
  readonly client: string;
  readonly agent: AgentName;
  readonly scenario: ScenarioName;
  readonly outcome: string;
}

declare module "vitest" {
  interface TaskMeta {
    clients?: readonly Cell[];
  }
}

/** Renders the section of some clients; undefined if a cell is missing, such as after a partial run. */
export function renderClients(
  clients: readonly ForeignClient[],
  cells: readonly Cell[],
): string | undefined {
  const outcomes = new Map(
    cells.map(({ client, agent, scenario, outcome }) => [
      [client, agent, scenario].join("\n"),
      outcome,
    ]),
  );
  const parts = [
    table(
      ["client", "source", "version"],
      clients.map(({ name, source, version }) => [name, source, version]),
    ),
  ];
  for (const agent of agentNames) {
    const rows: string[][] = [];
    for (const { name } of clients) {
      const row = scenarioNames.map((scenario) => outcomes.get([name, agent, scenario].join("\n")));
      const known = row.filter((outcome) => outcome !== undefined);
      if (known.length < row.length) return undefined;
      rows.push([name, ...known]);
    }
    const titles = scenarioNames.map((scenario) => scenarioTitles[scenario]);
    parts.push(table([`with ${agent}`, ...titles], rows));
  }
  const remarks = clients.flatMap(remarksOf);
  return [...parts, ...(remarks.length > 0 ? [remarks.join("\n")] : [])].join("\n\n");
}

function remarksOf({ name, notOffered, remarks }: ForeignClient): readonly string[] {
  const reasons = scenarioNames.flatMap((scenario) => {
    const reason = notOffered[scenario];
    return reason === undefined ? [] : [`"${scenarioTitles[scenario]}" is not offered: ${reason}.`];
  });
  return [...remarks, ...reasons].map((remark) => `- ${name}: ${remark}`);
}
