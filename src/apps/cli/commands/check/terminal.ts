import {
  type AreaResults,
  baselineNotes,
  type CheckReport,
  type CheckResult,
  countsText,
  explanation,
  frameLines,
  type JudgedReport,
  MATRIX_MARKS,
  notableResults,
  outcomeText,
  settingText,
  type ResultVerdict,
  resultVerdict,
  subjectText,
  byArea,
} from "../../../../conformance/check/index.ts";
import { wrapWords } from "../../render/terminal/spans.ts";
import { sanitizeLine, counted } from "../../../../base/index.ts";
import type { StyleName, TextView } from "../../render/terminal/style.ts";
import type { Requirement } from "../../../../conformance/index.ts";
import type { Screen } from "../../render/terminal/screen.ts";

const LOOKS: Readonly<Record<ResultVerdict, StyleName>> = {
  passed: "green",
  failure: "red",
  warning: "yellow",
  accepted: "yellow",
  stale: "red",
  skipped: "dim",
  untested: "dim",
  fault: "magenta",
};

/** The most of a frame that a terminal shows. The files have more of it. */
const MAX_FRAME = 600;

/** The results of one area. Requirements that were not judged for the same reason share a line. Pure. */
export function areaText(
  { area, results }: AreaResults,
  shown: (result: CheckResult) => ResultVerdict,
  view: TextView,
): string {
  const alike = new Map<string, CheckResult[]>();
  for (const result of results) {
    const isJudged = shown(result) !== "skipped" && shown(result) !== "untested";
    const key = isJudged ? result.id : `${shown(result)} ${result.reason ?? ""}`;
    alike.set(key, [...(alike.get(key) ?? []), result]);
  }
  const lines = [...alike.values()].flatMap((group) => groupLines(group, shown, view));
  return `  ${view.style("bold", sanitizeLine(area))}\n${lines.join("\n")}\n\n`;
}

function groupLines(
  group: readonly CheckResult[],
  shown: (result: CheckResult) => ResultVerdict,
  view: TextView,
): readonly string[] {
  const [first] = group;
  if (first === undefined) return [];
  const how = shown(first);
  const ids = group.map(({ id }) => id).join(", ");
  return markedLines(
    group.length > 1 ? `${ids}: ${first.reason ?? how}` : lineOf(first, how),
    how,
    view,
  );
}

function lineOf({ id, level, title, status, reason }: CheckResult, shown: ResultVerdict): string {
  const sentence = title.replace(/\.$/, "");
  switch (shown) {
    case "passed":
      return `${id} ${sentence}`;
    case "skipped":
    case "untested":
      return `${id} ${sentence} (${reason ?? shown})`;
    default: {
      const word = status === "unstable" ? "unstable, " : shown === "accepted" ? "accepted, " : "";
      return `${id} ${word}${level}: ${sentence}`;
    }
  }
}

const INDENT = 8;

function markedLines(text: string, shown: ResultVerdict, view: TextView): readonly string[] {
  const look = LOOKS[shown];
  return hanging(text, INDENT, view).map((line, index) => {
    const mark = `    ${view.style(look, MATRIX_MARKS[shown].padEnd(3))} `;
    const before = index === 0 ? mark : " ".repeat(INDENT);
    return before + (shown === "passed" ? line : view.style(look, line));
  });
}

/** Everything about the findings, the most important first, and those that the baseline accepts. Pure. */
export function findingsText({ report, verdict }: JudgedReport, view: TextView): string {
  const accepted = new Set(verdict.accepted.map(({ result }) => result));
  const results = notableResults(verdict).filter((result) => !accepted.has(result));
  const shown = resultVerdict(verdict);
  const parts = results.map((result, index) =>
    findingText(report, result, { number: index + 1, shown: shown(result), view }),
  );
  const heading = (text: string): string => `${view.style("bold", text)}\n\n`;
  return [
    ...(parts.length === 0 ? [] : [heading("Findings:"), parts.join("\n"), "\n"]),
    ...(accepted.size === 0
      ? []
      : [heading("Accepted by the baseline:"), acceptedText(verdict, view)]),
  ].join("");
}

function acceptedText({ accepted }: JudgedReport["verdict"], view: TextView): string {
  const lines = accepted.flatMap(({ result: { id, level }, entry: { reason, link } }) =>
    hanging(`${id} ${level}: ${reason}${link === undefined ? "" : ` (${link})`}`, 2, view),
  );
  return `${lines.map((line) => `  ${line}`).join("\n")}\n\n`;
}

interface Finding {
  readonly number: number;
  readonly shown: ResultVerdict;
  readonly view: TextView;
}

function findingText(
  report: CheckReport,
  result: CheckResult,
  { number, shown, view }: Finding,
): string {
  const { style } = view;
  const { id, level, status, title } = result;
  const head = `  ${number}) ${style(LOOKS[shown], `${id} ${level} ${status}`)}`;
  const sentence = hanging(title, 5, view).map((line) => `     ${style("bold", line)}`);
  const parts = explanation(report, result).flatMap(([label, text]) => labeled(label, text, view));
  const frames = frameLines(result, MAX_FRAME).flatMap((line) =>
    hanging(line, 7, view).map((row) => `       ${style("dim", row)}`),
  );
  const block = frames.length === 0 ? [] : [`     ${style("cyan", "Frames:")}`, ...frames];
  return `${[head, ...sentence, ...parts, ...block].join("\n")}\n`;
}

const LABEL = 10;

function labeled(label: string, text: string, view: TextView): readonly string[] {
  const indent = 5 + LABEL;
  return hanging(text, indent, view).map((line, index) =>
    index === 0
      ? `     ${view.style("cyan", `${label}:`.padEnd(LABEL))}${line}`
      : " ".repeat(indent) + line,
  );
}

export function closingText(judged: JudgedReport, { style }: TextView): string {
  const { report, verdict } = judged;
  const { outcome } = verdict;
  const outcomeLook = outcome === "passed" ? "green" : "red";
  const seconds = (report.summary.ms / 1000).toFixed(1);
  return [
    ...baselineNotes(verdict).map(
      (note) => `${style("yellow", "baseline:")} ${sanitizeLine(note)}`,
    ),
    `${sanitizeLine(subjectText(report.subject))} (${sanitizeLine(settingText(report))})`,
    `${countsText(report)}, in ${seconds} s`,
    style(outcomeLook, sanitizeLine(outcomeText(judged))),
    "",
  ].join("\n");
}

/** One line of text, safe for a terminal, in pieces that fit next to an indent. In a pipe it stays whole. */
function hanging(text: string, indent: number, { columns }: TextView): readonly string[] {
  const safe = sanitizeLine(text);
  return columns === undefined ? [safe] : wrapWords(safe, Math.max(20, columns - indent));
}

interface ProgressOptions {
  readonly requirements: readonly Pick<Requirement, "id" | "area">[];
  readonly shown: (result: CheckResult) => ResultVerdict;
  readonly view: TextView;
}

/**
 * Prints the results area by area while a run goes on. An area is printed once it is complete and all
 * areas before it are, so the order does not depend on which case ends first.
 */
export class Progress {
  readonly #screen: Pick<Screen, "answer" | "status">;
  readonly #options: ProgressOptions;
  readonly #results = new Map<string, CheckResult>();
  readonly #areas: readonly { readonly area: string; readonly ids: readonly string[] }[];
  #printed = 0;
  #failed = 0;

  constructor(screen: Pick<Screen, "answer" | "status">, options: ProgressOptions) {
    this.#screen = screen;
    this.#options = options;
    const names = [...new Set(options.requirements.map(({ area }) => area))];
    this.#areas = names.map((area) => ({
      area,
      ids: options.requirements.filter((one) => one.area === area).map(({ id }) => id),
    }));
    this.#status();
  }

  /** Adds a final result. Results of requirements that were not chosen are left out. */
  add(result: CheckResult): void {
    if (!this.#areas.some(({ ids }) => ids.includes(result.id))) return;
    if (!this.#results.has(result.id) && this.#options.shown(result) === "failure") this.#failed++;
    this.#results.set(result.id, result);
    this.#status();
    while (this.#isComplete(this.#printed)) this.#print(this.#printed++);
  }

  /** Adds the results of the report that were not added before, and prints the rest. */
  finish(results: readonly CheckResult[]): void {
    for (const result of results) if (!this.#results.has(result.id)) this.add(result);
    while (this.#printed < this.#areas.length) this.#print(this.#printed++);
    this.#screen.status(undefined);
  }

  #isComplete(index: number): boolean {
    return this.#areas[index]?.ids.every((id) => this.#results.has(id)) === true;
  }

  #print(index: number): void {
    const ids = this.#areas[index]?.ids ?? [];
    const results = ids.flatMap((id) => this.#results.get(id) ?? []);
    const { shown, view } = this.#options;
    for (const area of byArea(results)) this.#screen.answer(areaText(area, shown, view));
  }

  #status(): void {
    const total = this.#options.requirements.length;
    const failed = this.#failed === 0 ? "" : `, ${counted(this.#failed, "failure")}`;
    this.#screen.status(`checked ${this.#results.size} of ${total} requirements${failed}`);
  }
}
