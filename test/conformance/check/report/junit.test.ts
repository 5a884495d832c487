import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { judge } from "../../../../src/conformance/check/run-verdict.ts";
import { junitXml } from "../../../../src/conformance/check/report/junit.ts";
import type { CheckReport } from "../../../../src/conformance/check/index.ts";
import { EVIL, failureOf, MIXED, reportOf } from "../support/reports.ts";

const timestamp = "2026-08-22T10:00:00Z";
const baseline = { v: 1, entries: [{ id: "ACP-INIT-001", reason: "old" }] } as const;

function xmlOf(...reports: readonly CheckReport[]): string {
  return junitXml(
    reports.map((report) => ({ report, verdict: judge(report) })),
    { timestamp },
  );
}

/** The element of one requirement, up to its end. */
function caseOf(xml: string, id: string): string {
  return (
    new RegExp(`<testcase [^>]*name="${id} [^>/]*(?:/>|>[^]*?</testcase>)`).exec(xml)?.[0] ?? ""
  );
}

it("counts failures, errors and skipped cases as the readers of JUnit expect", () => {
  expect(xmlOf(reportOf(MIXED))).toContain(
    '<testsuites name="dragoman check" tests="8" failures="2" errors="1" skipped="2" time="0.096">',
  );
  expect(xmlOf(reportOf(MIXED))).toContain(
    `<testsuite name="cancel" tests="2" failures="1" errors="0" skipped="1" time="0.024" timestamp="${timestamp}">`,
  );
});

describe("a requirement that", () => {
  const xml = xmlOf(reportOf(MIXED));
  it("passed is a case with its area as the class", () => {
    expect(caseOf(xml, "ACP-INIT-001")).toBe(
      '<testcase classname="initialize" name="ACP-INIT-001 The subject keeps ACP-INIT-001" time="0.012"/>',
    );
  });
  it("failed repeats the message in the body, with the frames and the command", () => {
    const text = caseOf(xml, "ACP-INIT-002");
    expect(text).toContain('<failure message="an error with the code -32603" type="MUST">');
    expect(text).toContain("\nExpected: a result with protocolVersion 1\n");
    expect(text).toContain("\nActual: an error with the code -32603\n");
    expect(text).toContain("\nRepeat: dragoman check --only ACP-INIT-002 -- example --acp\n");
    expect(text).toContain("#1 &lt;- {&quot;jsonrpc&quot;");
  });
  it("failed below the level passes with a text", () => {
    expect(caseOf(xml, "DRA-INIT-05")).toMatch(
      /<system-out>failed, below the level must[^]*silence for 10 s/,
    );
  });
  it("is unstable fails", () => {
    expect(caseOf(xml, "ACP-CANCEL-001")).toContain('type="unstable"');
  });
  it("is untested or skipped is skipped, with the reason", () => {
    expect(caseOf(xml, "DRA-CAN-02")).toContain(
      '<skipped message="untested: no turn was running"/>',
    );
    expect(caseOf(xml, "ACP-LOAD-001")).toContain(
      '<skipped message="loadSession is not advertised"/>',
    );
  });
  it("the checker failed to judge is an error", () => {
    expect(caseOf(xml, "ACP-LOAD-002")).toContain(
      '<error message="a frame of the checker was not valid" type="fault">',
    );
  });
  it("is stale in the baseline fails, and one that it accepts is skipped", () => {
    const report = reportOf(MIXED);
    const listing = {
      ...baseline,
      entries: [...baseline.entries, { id: "ACP-INIT-002", reason: "#7" }],
    };
    const text = junitXml([{ report, verdict: judge(report, "must", listing) }], { timestamp });
    expect(caseOf(text, "ACP-INIT-001")).toContain('type="stale"');
    expect(caseOf(text, "ACP-INIT-002")).toContain(
      '<skipped message="accepted by the baseline: #7"/>',
    );
  });
});

it("several subjects have different class names, because GitLab drops cases of the same name", () => {
  const xml = xmlOf(reportOf(MIXED), reportOf(MIXED, { name: "other", version: undefined }));
  const names = [...xml.matchAll(/classname="([^"]*)" name="([^"]*)"/g)].map(([all]) => all);
  expect(new Set(names).size).toBe(2 * MIXED.length);
  expect(xml).toContain('classname="other: cancel"');
});

it("nothing from the subject breaks the XML", () => {
  const evil = failureOf("EVIL", {
    actual: `${EVIL}\ud800\uffff`,
    frames: [{ n: 1, direction: "in", line: EVIL }],
  });
  const xml = xmlOf(reportOf([evil], { name: EVIL }), reportOf([evil]));
  expect(xml).not.toMatch(/<script|<img|(?![\n\t])\p{Cc}/u);
  const parse =
    "import sys,xml.dom.minidom as m; print(len(m.parse(sys.stdin.buffer).getElementsByTagName('failure')))";
  expect(execFileSync("python3", ["-c", parse], { input: xml, encoding: "utf8" })).toBe("2\n");
});
