import type {
  Baseline,
  CheckReport,
  CheckResult,
} from "../../../../src/conformance/check/index.ts";
import { table } from "../../../support/doc-section.ts";
import { countsOf } from "../../clients/page.ts";

declare module "vitest" {
  interface TaskMeta {
    /** The result of `dragoman check` for one agent. */
    agentCheck?: CheckedAgent;
  }
}

/** An agent with its report and its baseline. */
export interface CheckedAgent {
  readonly name: string;
  readonly version: string;
  readonly report: CheckReport;
  readonly baseline: Baseline;
}

/** The section of docs/interop.md: the counts of each agent, a matrix, and the reasons. Pure. */
export function renderAgentChecks(agents: readonly CheckedAgent[]): string {
  return [countsTable(agents), matrixTable(agents), ...agents.map(reasonsOf)].join("\n\n");
}

function countsTable(agents: readonly CheckedAgent[]): string {
  const rows = agents.map(({ name, version, report }) => [
    name,
    version,
    ...(["MUST", "SHOULD", "WARN"] as const).map((level) => countsOf(report, level)),
    String(report.summary.untested),
    String(report.summary.skipped),
  ]);
  return table(["agent", "version", "MUST", "SHOULD", "WARN", "untested", "skipped"], rows);
}

const MARKS: Readonly<Record<CheckResult["status"], string>> = {
  passed: "✔",
  failed: "✘",
  unstable: "✘",
  untested: "?",
  skipped: "–",
  fault: "⚠",
};

/** A row for each requirement that some agent breaks. */
function matrixTable(agents: readonly CheckedAgent[]): string {
  const [first] = agents;
  const rows = (first?.report.results ?? []).flatMap(({ id, level, title }) => {
    const found = agents.map(({ report }) => report.results.find((one) => one.id === id));
    if (!found.some((result) => result !== undefined && isBroken(result))) return [];
    return [
      [`\`${id}\``, level, title, ...found.map((result) => (result ? MARKS[result.status] : ""))],
    ];
  });
  return table(["requirement", "level", "rule", ...agents.map(({ name }) => name)], rows);
}

function isBroken({ status }: CheckResult): boolean {
  return status === "failed" || status === "unstable";
}

function reasonsOf({ name, report, baseline }: CheckedAgent): string {
  const levels = new Map(report.results.map(({ id, level }) => [id, level]));
  const lines = baseline.entries.map(({ id, reason, link }) => {
    const where = link === undefined ? "" : ` ([issue](${link}))`;
    return `- \`${id}\` (${levels.get(id)}): ${reason}${where}`;
  });
  return [`### ${name}, checked`, "", ...lines].join("\n");
}
