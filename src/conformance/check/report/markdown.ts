import { escapeHtml, sanitize } from "../../../base/index.ts";
import type { CheckResult } from "../check-report.ts";
import {
  baselineNotes,
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
import { matrixOf, MATRIX_MARKS } from "./matrix.ts";

/** GitHub drops the whole summary of a step that is larger than this. */
const MAX_BYTES = 1024 * 1024;

/** The room for the sentence about the failures that do not fit. */
const RESERVE = 1024;

/**
 * The reports as Markdown that fits the summary of a CI step: at most 1 MiB. The counts and the matrix of
 * several subjects come first, then as many failures as fit. Pure.
 */
export function markdownReport(judged: readonly JudgedReport[], maxBytes = MAX_BYTES): string {
  const head = [...judged.map(headOf), ...(judged.length > 1 ? [matrixTable(judged)] : [])];
  const details = judged.flatMap(detailsOf);
  return withinBytes([...head.map((text) => `${text}\n`), ...details], maxBytes);
}

function headOf(judged: JudgedReport): string {
  const { report, verdict } = judged;
  const isFine = verdict.outcome === "passed";
  const notes = baselineNotes(verdict).flatMap((note) => ["", `- ${note}.`]);
  return [
    `## ${isFine ? "✅" : "❌"} ${plain(subjectText(report.subject))}`,
    "",
    `${sentence(outcomeText(judged))} ${sentence(countsText(report))}`,
    "",
    `${code(report.subject.command)}, ${plain(settingText(report))}`,
    ...notes,
    "",
  ].join("\n");
}

/** Only exercised requirements get a row. */
const QUIET: readonly (ResultVerdict | undefined)[] = ["passed", "skipped", undefined];

function matrixTable(judged: readonly JudgedReport[]): string {
  const { rows } = matrixOf(judged);
  const heads = judged.map(({ report }) => plain(subjectText(report.subject)));
  return [
    `| Requirement | Level | ${heads.join(" | ")} |`,
    `| --- | --- | ${heads.map(() => "---").join(" | ")} |`,
    ...rows
      .filter(({ cells }) => cells.some((cell) => !QUIET.includes(cell)))
      .map(
        ({ id, level, cells }) =>
          `| ${id} | ${level} | ${cells.map((cell) => (cell === undefined ? "" : MATRIX_MARKS[cell])).join(" | ")} |`,
      ),
    "",
  ].join("\n");
}

/** One collapsed part per notable result, so that a long list stays readable. */
function detailsOf({ report, verdict }: JudgedReport): readonly string[] {
  const results = notableResults(verdict);
  if (results.length === 0) return [];
  const shown = resultVerdict(verdict);
  const reasons = new Map(verdict.accepted.map(({ result, entry }) => [result, entry.reason]));
  return [
    `### Findings: ${plain(subjectText(report.subject))}\n\n`,
    ...results.map((result) => {
      const title = `<b>${result.id}</b> ${result.level}, ${wordsFor(shown(result), result)}: ${escapeHtml(result.title)}`;
      const parts = explanation(report, result, reasons.get(result)).map(
        ([label, text]) => `${label}: ${text}`,
      );
      const body = fenced([...parts, ...frameLines(result)].join("\n"));
      return `<details><summary>${title}</summary>\n\n${body}\n\n</details>\n\n`;
    }),
  ];
}

function wordsFor(shown: ResultVerdict, { status }: CheckResult): string {
  return shown === "accepted" ? shown : status;
}

/** As many pieces as fit, and a sentence about those that do not. */
function withinBytes(pieces: readonly string[], maxBytes: number): string {
  const encoder = new TextEncoder();
  let text = "";
  let left = maxBytes - RESERVE;
  for (const [index, piece] of pieces.entries()) {
    left -= encoder.encode(piece).length;
    if (left < 0) {
      const missing = pieces.length - index;
      return `${text}\n${missing} more part${missing === 1 ? " does" : "s do"} not fit here. The JSON and HTML reports have everything.\n`;
    }
    text += piece;
  }
  return text;
}

/** A block of code that its content cannot end. */
function fenced(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = "`".repeat(longest + 1);
  return `${fence}text\n${sanitize(text)}\n${fence}`;
}

function code(text: string): string {
  return `<code>${plain(text)}</code>`;
}

/** Text that is neither Markdown nor HTML, in one line. A colon could make an address a link. */
function plain(text: string): string {
  const line = escapeHtml(text.replace(/\s+/g, " ").trim());
  return line.replace(/[\\`*_[\]|~:]/g, String.raw`\$&`);
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
