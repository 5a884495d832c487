import { describe, expect, it } from "vitest";
import { judge } from "../../../../src/conformance/check/run-verdict.ts";
import { htmlReport } from "../../../../src/conformance/check/report/html.ts";
import type { CheckReport } from "../../../../src/conformance/check/index.ts";
import { EVIL, failureOf, MIXED, reportOf, resultOf } from "../support/reports.ts";

function htmlOf(...reports: readonly CheckReport[]): string {
  return htmlReport(reports.map((report) => ({ report, verdict: judge(report) })));
}

it("is one document that loads nothing and runs nothing", () => {
  const html = htmlOf(reportOf(MIXED));
  expect(html).toContain("default-src 'none'; style-src 'unsafe-inline'");
  expect(html).not.toMatch(/<script|<link|<img|@import|url\(|https?:\/\//);
});

it("opens the failures and has every requirement", () => {
  const html = htmlOf(reportOf(MIXED));
  expect(html.match(/<details id="[^"]+" open>/g)).toHaveLength(2);
  for (const { id, title } of MIXED) expect(html).toContain(`<b>${id}</b> ${title}`);
  expect(html).toContain("(loadSession is not advertised)");
});

describe("the matrix", () => {
  it("is there for several subjects only", () => {
    expect(htmlOf(reportOf(MIXED))).not.toContain("By area");
    expect(htmlOf(reportOf(MIXED), reportOf(MIXED))).toContain("By area");
  });
  it("counts what passed of what was judged, by area and subject", () => {
    const html = htmlOf(
      reportOf(MIXED),
      reportOf([resultOf({ id: "ACP-INIT-001" })], { name: "other" }),
    );
    expect(html).toContain(
      '<tr><th scope="row">initialize</th><td class="mark failure">1/3</td><td class="mark passed">1/1</td></tr>',
    );
    expect(html).toContain(
      '<th scope="row">cancel</th><td class="mark failure">0/1</td><td class="mark skipped">–</td>',
    );
  });
  it("begins with the outcome of each subject", () => {
    const html = htmlOf(reportOf([failureOf("A")]), reportOf([resultOf({ id: "A" })]));
    const [, row = ""] = /<th scope="row">all<\/th>(.*)<\/tr>/.exec(html) ?? [];
    expect(row).toMatch(/>failed<.*>1 MUST<.*>passed<.*>no violation</);
  });
  it("leads from a violation to its details", () => {
    const html = htmlOf(reportOf([resultOf({ id: "A" })]), reportOf([failureOf("A")]));
    expect(html).toContain('<a href="#subject-1-A">✘</a>');
    expect(html).toContain('<details id="subject-1-A" open>');
    expect(html).not.toContain("#subject-0-A");
  });
  it("leaves a cell empty if a report does not have the requirement", () => {
    const html = htmlOf(reportOf([resultOf({ id: "A" })]), reportOf([resultOf({ id: "B" })]));
    expect(html).toMatch(
      />A<\/th><td>MUST<\/td><td class="mark passed"[^]*?<td class="mark"><\/td>/,
    );
  });
});

it("escapes everything that came from the subject", () => {
  const evil = failureOf("EVIL", {
    actual: EVIL,
    expected: EVIL,
    evidence: EVIL,
    reason: EVIL,
    frames: [{ n: 1, direction: "in", line: EVIL }],
  });
  const html = htmlOf(
    reportOf([evil], { name: EVIL, version: EVIL, command: EVIL, capabilities: { [EVIL]: EVIL } }),
    reportOf([evil]),
  );
  expect(html).not.toMatch(/<script|<img|(?![\n\t])\p{Cc}/u);
  expect(html.match(/<details/g)).toHaveLength(html.match(/<\/details>/g)?.length ?? 0);
  expect(html.match(/<pre>/g)).toHaveLength(html.match(/<\/pre>/g)?.length ?? 0);
});
