import { LEVELS } from "../../index.ts";
import { counted } from "../../../base/index.ts";
import type { CheckReport, CheckResult, CheckSubject, EvidenceFrame } from "../check-report.ts";
import type { RunVerdict } from "../run-verdict.ts";

/** A report and its verdict: the input of every form of report. */
export interface JudgedReport {
  readonly report: CheckReport;
  readonly verdict: RunVerdict;
}

export interface AreaResults {
  readonly area: string;
  readonly results: readonly CheckResult[];
}

/** The results by area, in the order in which the areas begin. */
export function byArea(results: readonly CheckResult[]): readonly AreaResults[] {
  const areas = new Map<string, CheckResult[]>();
  for (const result of results) {
    const found = areas.get(result.area);
    if (found === undefined) areas.set(result.area, [result]);
    else found.push(result);
  }
  return [...areas].map(([area, all]) => ({ area, results: all }));
}

/** The results that need a look, the most important first: failures, faults, warnings, accepted ones. */
export function notableResults({
  failures,
  faults,
  warnings,
  accepted,
}: RunVerdict): readonly CheckResult[] {
  return [...failures, ...faults, ...warnings, ...accepted.map(({ result }) => result)];
}

/** Notes about entries of the baseline that accepted nothing. */
export function baselineNotes({ stale, kept }: RunVerdict): readonly string[] {
  return [
    ...stale.map(({ id }) => `${id} is in the baseline, but it passes: remove the entry`),
    ...kept.map(({ id }) => `${id} is in the baseline, and this run did not judge it`),
  ];
}

export function subjectText({ name, version }: CheckSubject): string {
  return version === undefined ? name : `${name} ${version}`;
}

/** The beginning of a hash is enough to recognize it. JSON has all of it. */
const SHOWN_COMMIT = 19;

/** The facts about a run that a reader needs to compare it with another. */
export function settingText({ subject, schema, set }: CheckReport): string {
  const commit = schema.commit === "" ? "" : ` (${schema.commit.slice(0, SHOWN_COMMIT)})`;
  return `${subject.side}, ACP ${subject.protocol}, requirements ${set}, schema ${schema.version}${commit}`;
}

/** The counts of a report in words, without those that are zero. */
export function countsText({ summary, results }: CheckReport): string {
  const counts = [
    [summary.passed, "passed"],
    [summary.failed, `failed${levelsText(results)}`],
    [summary.unstable, "unstable"],
    [summary.fault, "not judged by a fault of the checker"],
    [summary.untested, "untested"],
    [summary.skipped, "skipped"],
  ] as const;
  const words = counts.flatMap(([count, word]) => (count === 0 ? [] : [`${count} ${word}`]));
  return `${counted(results.length, "requirement")}: ${words.join(", ")}`;
}

/** The failed requirements by level, such as ` (1 MUST, 2 WARN)`. */
function levelsText(results: readonly CheckResult[]): string {
  const failed = results.filter(({ status }) => status === "failed");
  const words = LEVELS.flatMap((level) => {
    const count = failed.filter((result) => result.level === level).length;
    return count === 0 ? [] : [`${count} ${level}`];
  });
  return ` (${words.join(", ")})`;
}

/** The outcome of a run in one sentence without a full stop, with the problem that ended it early. */
export function outcomeText({ report, verdict }: JudgedReport): string {
  const { problem } = report.summary;
  return problem === undefined ? outcomeWords(verdict) : `${outcomeWords(verdict)}: ${problem}`;
}

function outcomeWords({ outcome, level, failures, stale, faults }: RunVerdict): string {
  switch (outcome) {
    case "passed":
      return `no ${level.toUpperCase()}-level failures`;
    case "failed":
      return [
        ...(failures.length === 0
          ? []
          : [`${counted(failures.length, "requirement")} failed at the level ${level}`]),
        ...(stale.length === 0
          ? []
          : [`the baseline lists ${counted(stale.length, "requirement")} that passed`]),
      ].join(", and ");
    case "run limit":
      return "the run reached its time limit, so some requirements are untested";
    case "authentication":
      return "the subject needs authentication, so most requirements are untested";
    case "cannot start":
      return "the subject did not start";
    case "fault":
      return `the checker itself failed to judge ${counted(faults.length, "requirement")}`;
  }
}

/** The most of a frame that a report for people shows. JSON has all of it. */
const MAX_FRAME = 2000;
/** The most frames of one result that a report for people shows. */
const MAX_FRAMES = 20;

/** The deciding frames, one line each, with their position and direction. */
export function frameLines({ frames }: CheckResult, maxLength = MAX_FRAME): readonly string[] {
  // A frame can be part of the evidence for two reasons.
  const all = [...new Set(frames.map((frame) => frameLine(frame, maxLength)))];
  const lines = all.slice(0, MAX_FRAMES);
  const more = all.length - lines.length;
  return more > 0 ? [...lines, `… ${counted(more, "more frame")}`] : lines;
}

function frameLine({ n, direction, line }: EvidenceFrame, maxLength: number): string {
  const arrow = direction === "out" ? "->" : "<-";
  return `#${n} ${arrow} ${cutTo(line, maxLength)}`;
}

/** The text with an ellipsis if it is longer than `length`. Never cuts a character in two. */
function cutTo(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** The command that repeats one case alone; undefined if the report does not say how it was made. */
function repeatText({ repeat }: CheckReport, { id }: CheckResult): string | undefined {
  return repeat?.replaceAll("@ID@", id);
}

/** The parts of a result that explain it, as labels and texts. Empty parts are left out. */
export function explanation(
  report: CheckReport,
  result: CheckResult,
  reason?: string,
): readonly (readonly [label: string, text: string])[] {
  const parts: readonly (readonly [string, string | undefined])[] = [
    ["Source", result.source],
    ["Expected", result.expected],
    ["Actual", result.actual],
    ["Evidence", result.evidence],
    ["Reason", result.reason],
    ["Accepted", reason],
    ["Repeat", repeatText(report, result)],
  ];
  return parts.flatMap(([label, text]) =>
    text === undefined || text === "" ? [] : [[label, text]],
  );
}
