import type { CheckResult } from "../check-report.ts";
import { byArea, type JudgedReport } from "./report-text.ts";
import { type ResultVerdict, resultVerdict } from "../run-verdict.ts";

/** The reports of several subjects side by side. */
export interface Matrix {
  readonly rows: readonly MatrixRow[];
  /** For each area and subject: how many of the judged requirements passed. */
  readonly areas: readonly { readonly area: string; readonly cells: readonly AreaCell[] }[];
}

/** One requirement and how it is shown for each subject; undefined if a report does not have it. */
interface MatrixRow extends Pick<CheckResult, "id" | "level" | "area" | "title"> {
  readonly cells: readonly (ResultVerdict | undefined)[];
}

/** The counts of one area and subject. */
export interface AreaCell {
  readonly passed: number;
  /** The requirements with a verdict. */
  readonly judged: number;
  /** The violations of a level that makes a run fail, without accepted ones. */
  readonly failures: number;
}

/** A sign for each way in which a result is shown, with a meaning that does not depend on color. */
export const MATRIX_MARKS: Readonly<Record<ResultVerdict, string>> = {
  passed: "✔",
  failure: "✘",
  warning: "!",
  accepted: "(✘)",
  stale: "✔?",
  skipped: "–",
  untested: "?",
  fault: "⚠",
};

/** Puts reports side by side. The order is that of the first report that has an area or requirement. Pure. */
export function matrixOf(judged: readonly JudgedReport[]): Matrix {
  const shown = judged.map(({ report, verdict }) => {
    const as = resultVerdict(verdict);
    return new Map(report.results.map((result) => [result.id, as(result)]));
  });
  const all = new Map<string, CheckResult>();
  for (const { report } of judged)
    for (const result of report.results) if (!all.has(result.id)) all.set(result.id, result);
  const areas = byArea([...all.values()]);
  const rows = areas.flatMap(({ results }) =>
    results.map(({ id, level, area, title }) => ({
      id,
      level,
      area,
      title,
      cells: shown.map((ids) => ids.get(id)),
    })),
  );
  return {
    rows,
    areas: areas.map(({ area }) => ({
      area,
      cells: judged.map((_, index) => areaCell(rows, area, index)),
    })),
  };
}

const JUDGED: readonly (ResultVerdict | undefined)[] = [
  "passed",
  "stale",
  "failure",
  "warning",
  "accepted",
];

function areaCell(rows: readonly MatrixRow[], area: string, index: number): AreaCell {
  const cells = rows.filter((row) => row.area === area).map((row) => row.cells[index]);
  return {
    passed: cells.filter((cell) => cell === "passed" || cell === "stale").length,
    judged: cells.filter((cell) => JUDGED.includes(cell)).length,
    failures: cells.filter((cell) => cell === "failure").length,
  };
}
