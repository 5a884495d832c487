import { escapeHtml } from "../../../base/index.ts";
import type { CheckReport, CheckResult } from "../check-report.ts";
import {
  type AreaResults,
  baselineNotes,
  byArea,
  countsText,
  explanation,
  frameLines,
  type JudgedReport,
  notableResults,
  outcomeText,
  settingText,
  subjectText,
} from "./report-text.ts";
import { type ResultVerdict, resultVerdict } from "../run-verdict.ts";
import { HTML_STYLE } from "./html-style.ts";
import { type AreaCell, MATRIX_MARKS, matrixOf } from "./matrix.ts";

function wordFor(shown: ResultVerdict): string {
  return shown === "failure" ? "failed" : shown;
}

/**
 * The reports as one HTML document that needs neither scripts nor the network. Several subjects are shown
 * side by side in a matrix first. Every text is escaped, so nothing that a subject sent can act. Pure.
 */
export function htmlReport(judged: readonly JudgedReport[]): string {
  const name = `dragoman check: ${judged.map(({ report }) => subjectText(report.subject)).join(", ")}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escapeHtml(name)}</title>
<style>${HTML_STYLE}</style>
</head>
<body>
<h1>dragoman check</h1>
${judged.length > 1 ? matrixHtml(judged) : ""}${judged.map(subjectHtml).join("\n")}
</body>
</html>
`;
}

function matrixHtml(judged: readonly JudgedReport[]): string {
  const { areas, rows } = matrixOf(judged);
  const heads = judged
    .map(
      ({ report }, index) =>
        `<th scope="col"><a href="#subject-${index}">${escapeHtml(subjectText(report.subject))}</a></th>`,
    )
    .join("");
  const overall = judged.map(
    ({ verdict, report }) =>
      `<td class="mark counts"><span class="badge ${verdict.outcome === "passed" ? "passed" : "failure"}">${escapeHtml(verdict.outcome)}</span><br>${levelCounts(report)}</td>`,
  );
  const areaRows = areas.map(
    ({ area, cells }) =>
      `<tr><th scope="row">${escapeHtml(area)}</th>${cells.map(areaCellHtml).join("")}</tr>`,
  );
  const ruleRows = rows.map(({ id, level, title, cells }) => {
    const marks = cells.map((cell, index) => {
      if (cell === undefined) return '<td class="mark"></td>';
      const mark = DETAILED.includes(cell)
        ? `<a href="#${findingId(index, id)}">${MATRIX_MARKS[cell]}</a>`
        : MATRIX_MARKS[cell];
      return `<td class="mark ${cell}" title="${wordFor(cell)}">${mark}</td>`;
    });
    return `<tr><th scope="row" title="${escapeHtml(title)}">${escapeHtml(id)}</th><td>${level}</td>${marks.join("")}</tr>`;
  });
  const legend = Object.entries(MATRIX_MARKS).map(([kind, mark]) => `${mark} ${kind}`);
  return `<h2>By area</h2>
<p class="soft">Passed requirements of those that were judged.</p>
<div class="wide"><table><thead><tr><th scope="col">Area</th>${heads}</tr></thead>
<tbody><tr><th scope="row">all</th>${overall.join("")}</tr>
${areaRows.join("\n")}</tbody></table></div>
<h2>By requirement</h2>
<p class="soft">${legend.join(", ")}</p>
<div class="wide"><table><thead><tr><th scope="col">Requirement</th><th scope="col">Level</th>${heads}</tr></thead>
<tbody>${ruleRows.join("\n")}</tbody></table></div>
`;
}

/** The ways of showing a result that has details further down. */
const DETAILED: readonly ResultVerdict[] = ["failure", "warning", "accepted", "fault"];

/** The place of the details about one result of one subject. */
function findingId(subject: number, id: string): string {
  return escapeHtml(`subject-${subject}-${id}`);
}

/** The violations by level, for the head of a column. */
function levelCounts({ summary: { byLevel } }: CheckReport): string {
  const words = (["MUST", "SHOULD", "WARN"] as const).flatMap((level) => {
    const count = byLevel[level].failed + byLevel[level].unstable;
    return count === 0 ? [] : [`${count} ${level}`];
  });
  return `<span class="soft">${words.join(", ") || "no violation"}</span>`;
}

function areaCellHtml({ passed, judged, failures }: AreaCell): string {
  if (judged === 0) return '<td class="mark skipped">–</td>';
  const kind = failures > 0 ? "failure" : passed < judged ? "warning" : "passed";
  return `<td class="mark ${kind}">${passed}/${judged}</td>`;
}

function subjectHtml(judged: JudgedReport, index: number): string {
  const { report, verdict } = judged;
  const found = notableResults(verdict);
  const shown = resultVerdict(verdict);
  const reasons = new Map(verdict.accepted.map(({ result, entry }) => [result, entry.reason]));
  const details = found.map((result) => {
    const parts = explanation(report, result, reasons.get(result));
    return detailsHtml(result, shown(result), parts, findingId(index, result.id));
  });
  return `<section id="subject-${index}">
<h2>${escapeHtml(subjectText(report.subject))}</h2>
<p><span class="badge ${verdict.outcome === "passed" ? "passed" : "failure"}">${escapeHtml(verdict.outcome)}</span> ${escapeHtml(outcomeText(judged))}</p>
<p>${escapeHtml(countsText(report))}, in ${(report.summary.ms / 1000).toFixed(1)} s.</p>
<p class="soft"><code>${escapeHtml(report.subject.command)}</code><br>${escapeHtml(settingText(report))}</p>
${baselineHtml(verdict)}${found.length === 0 ? "" : `<h3>Findings</h3>\n${details.join("\n")}`}
<h3>All requirements</h3>
${byArea(report.results)
  .map((area) => areaHtml(area, shown))
  .join("\n")}
<details><summary>Capabilities, as the subject stated them</summary><div><pre>${escapeHtml(JSON.stringify(report.subject.capabilities, undefined, 2) ?? "none")}</pre></div></details>
</section>`;
}

function baselineHtml(verdict: JudgedReport["verdict"]): string {
  const lines = baselineNotes(verdict);
  if (lines.length === 0) return "";
  return `<ul>${lines.map((line) => `<li>${escapeHtml(line)}.</li>`).join("")}</ul>\n`;
}

/** `place`: the id that links lead to. */
function detailsHtml(
  result: CheckResult,
  shown: ResultVerdict,
  explained: ReturnType<typeof explanation>,
  place: string,
): string {
  const parts = explained.map(
    ([label, text]) =>
      `<dt>${label}</dt><dd>${label === "Repeat" ? `<code>${escapeHtml(text)}</code>` : escapeHtml(text)}</dd>`,
  );
  const frames = frameLines(result);
  const block = frames.length === 0 ? "" : `<pre>${escapeHtml(frames.join("\n"))}</pre>`;
  return `<details id="${place}"${shown === "failure" ? " open" : ""}><summary>${headHtml(result, shown)}</summary><div><dl>${parts.join("")}</dl>${block}</div></details>`;
}

function areaHtml(
  { area, results }: AreaResults,
  shown: (result: CheckResult) => ResultVerdict,
): string {
  const counts = new Map<string, number>();
  for (const result of results) {
    const word = wordFor(shown(result));
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const words = [...counts].map(([word, count]) => `${count} ${word}`).join(", ");
  const items = results.map((result) => {
    const { reason } = result;
    const why = reason === undefined ? "" : ` <span class="soft">(${escapeHtml(reason)})</span>`;
    return `<li>${headHtml(result, shown(result))}${why}</li>`;
  });
  return `<details><summary>${escapeHtml(area)} <span class="soft">${words}</span></summary><div><ul class="plain">${items.join("\n")}</ul></div></details>`;
}

function headHtml({ id, level, status, title }: CheckResult, shown: ResultVerdict): string {
  const word = status === "unstable" ? "unstable" : wordFor(shown);
  return `<span class="badge ${shown}">${word}</span> <span class="level">${level}</span> <b>${escapeHtml(id)}</b> ${escapeHtml(title)}`;
}
