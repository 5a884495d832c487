import type { CheckReport, CheckResult } from "../../../src/conformance/check/index.ts";
import { table } from "../../support/doc-section.ts";

declare module "vitest" {
  interface TaskMeta {
    /** The result of `dragoman check client` for one client. */
    clientCheck?: CheckedClient;
  }
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
