import { escapeHtml } from "../../../base/index.ts";
import type { CheckResult } from "../check-report.ts";
import {
  byArea,
  explanation,
  frameLines,
  type AreaResults,
  type JudgedReport,
  subjectText,
} from "./report-text.ts";
import { type ResultVerdict, resultVerdict } from "../run-verdict.ts";

/** Facts about the run that are not in the report. */
export interface JunitOptions {
  /** When the report was made, in ISO 8601. */
  readonly timestamp: string;
}

/**
 * The reports as JUnit's XML. Each area is a suite. GitLab shows the class name as the suite, drops cases
 * of the same name, and has not always shown the `message` of a failure, so the body repeats it. Pure.
 */
export function junitXml(judged: readonly JudgedReport[], { timestamp }: JunitOptions): string {
  const suites = judged.flatMap((one) =>
    byArea(one.report.results).map((area) => suiteXml(one, area, judged.length > 1, timestamp)),
  );
  const totals = totalsOf(suites.flatMap(({ cases }) => cases));
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="dragoman check" ${totals}>`,
    ...suites.map(({ xml }) => xml),
    "</testsuites>",
    "",
  ].join("\n");
}

interface Case {
  readonly shown: ResultVerdict;
  readonly ms: number;
  readonly xml: string;
}

function suiteXml(
  judged: JudgedReport,
  { area, results }: AreaResults,
  isOneOfSeveral: boolean,
  timestamp: string,
): { readonly xml: string; readonly cases: readonly Case[] } {
  const name = isOneOfSeveral ? `${subjectText(judged.report.subject)}: ${area}` : area;
  const shown = resultVerdict(judged.verdict);
  const cases = results.map((result) => caseXml(judged, result, shown(result), name));
  const head = `  <testsuite name="${attribute(name)}" ${totalsOf(cases)} timestamp="${attribute(timestamp)}">`;
  return { cases, xml: [head, ...cases.map(({ xml }) => xml), "  </testsuite>"].join("\n") };
}

function totalsOf(cases: readonly Case[]): string {
  const count = (...kinds: readonly ResultVerdict[]): number =>
    cases.filter(({ shown }) => kinds.includes(shown)).length;
  const ms = cases.reduce((sum, one) => sum + one.ms, 0);
  return [
    `tests="${cases.length}"`,
    `failures="${count("failure", "stale")}"`,
    `errors="${count("fault")}"`,
    `skipped="${count("skipped", "untested", "accepted")}"`,
    `time="${seconds(ms)}"`,
  ].join(" ");
}

function caseXml(
  judged: JudgedReport,
  result: CheckResult,
  shown: ResultVerdict,
  suite: string,
): Case {
  const { id, title, ms } = result;
  const head = `classname="${attribute(suite)}" name="${attribute(`${id} ${title}`)}" time="${seconds(ms)}"`;
  const body = bodyXml(judged, result, shown);
  const xml = body === "" ? `    <testcase ${head}/>` : `    <testcase ${head}>${body}</testcase>`;
  return { shown, ms, xml };
}

function bodyXml(
  { report, verdict }: JudgedReport,
  result: CheckResult,
  shown: ResultVerdict,
): string {
  const { level, status, title, actual, reason } = result;
  const text = [
    `${level}: ${title}`,
    ...explanation(report, result).map(([label, part]) => `${label}: ${part}`),
    ...frameLines(result),
  ].join("\n");
  const summary = actual === "" ? (reason ?? title) : actual;
  switch (shown) {
    case "passed":
      return "";
    case "failure":
      return element("failure", summary, status === "unstable" ? "unstable" : level, text);
    case "stale":
      return element("failure", STALE, "stale", `${STALE}\n${text}`);
    case "fault":
      return element("error", summary, "fault", text);
    case "warning":
      return `<system-out>${content(`${status}, below the level ${verdict.level}\n${text}`)}</system-out>`;
    case "accepted": {
      const entry = verdict.accepted.find((one) => one.result === result)?.entry;
      return skipped(`accepted by the baseline: ${entry?.reason ?? ""}`);
    }
    case "untested":
      return skipped(`untested: ${reason ?? "there was nothing to judge"}`);
    case "skipped":
      return skipped(reason ?? "left out");
  }
}

const STALE = "the baseline lists this requirement, but it passes: remove the entry";

function element(name: string, message: string, type: string, text: string): string {
  return `<${name} message="${attribute(message)}" type="${attribute(type)}">${content(text)}</${name}>`;
}

function skipped(message: string): string {
  return `<skipped message="${attribute(message)}"/>`;
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}

/** Text of an element. XML forbids two characters that HTML allows. */
function content(text: string): string {
  return escapeHtml(text).replace(/[\ufffe\uffff]/g, "\ufffd");
}

/** Text of an attribute, in one line: a reader turns line breaks into spaces anyway. */
function attribute(text: string): string {
  return content(text.replace(/\s+/g, " ").trim());
}
