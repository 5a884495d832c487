import type { CheckReport, CheckResult } from "../../../src/conformance/check/index.ts";
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
    /** The result of `dragoman check client` for one client. */
    clientCheck?: CheckedClient;
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

/** A client with its report. */
export interface CheckedClient {
  readonly name: string;
  readonly version: string;
  readonly report: CheckReport;
}

/** The section of docs/interop.md: a row per client or agent, and everything that one breaks. */
export function renderChecks(
  clients: readonly CheckedClient[],
  kind: "client" | "agent" = "client",
): string {
  const rows = clients.map(({ name, version, report }) => [
    name,
    version,
    ...(["MUST", "SHOULD", "WARN"] as const).map((level) => countsOf(report, level)),
    String(report.summary.untested + report.summary.skipped),
  ]);
  const heads = [kind, "version", "MUST", "SHOULD", "WARN", "not tested"];
  return [table(heads, rows), ...clients.map((client) => defectsOf(client))].join("\n\n");
}

/** `passed of judged`. */
export function countsOf({ summary }: CheckReport, level: "MUST" | "SHOULD" | "WARN"): string {
  const { passed, failed, unstable } = summary.byLevel[level];
  return `${passed} of ${passed + failed + unstable}`;
}

function defectsOf({ name, report }: CheckedClient): string {
  const broken = report.results.filter(
    ({ status }) => status === "failed" || status === "unstable",
  );
  if (broken.length === 0)
    return `**${name}** breaks none of the requirements that it was tested for.`;
  const rows = broken.map((result) => [
    `\`${result.id}\``,
    result.level,
    result.title,
    sentence(result),
  ]);
  return [`**${name}**`, "", table(["requirement", "level", "rule", "seen"], rows)].join("\n");
}

/** What was seen, without folders of the run, and cut. */
function sentence({ actual, status }: CheckResult): string {
  const text = actual
    .replaceAll(/\/\S*dragoman-check-\w+/g, "…")
    .replaceAll(/\s+/g, " ")
    .trim();
  const short = text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text;
  return status === "unstable" ? `${short} (not every time)` : short;
}

const MOST_CHARACTERS = 100;
