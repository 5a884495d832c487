import { describe, expect, it } from "vitest";
import {
  parseReport,
  ReportError,
  reportJson,
} from "../../../../src/conformance/check/report/json.ts";
import { MIXED, reportOf } from "../support/reports.ts";

it("a report is read as it was written", () => {
  const report = reportOf(MIXED, {}, "run limit");
  expect(parseReport(reportJson(report))).toEqual(report);
});

it("it has the fields and words that programs rely on", () => {
  const value: unknown = JSON.parse(reportJson(reportOf(MIXED)));
  expect(value).toMatchObject({
    v: 1,
    subject: { name: "example", version: "1.2.3" },
    schema: { version: "2.4.0", commit: "b7f0005" },
    summary: { passed: 2, failed: 2, untested: 1, skipped: 1, unstable: 1, fault: 1 },
    results: [
      { id: "ACP-INIT-001", level: "MUST", status: "passed", evidence: "2 frames", ms: 12 },
      { id: "ACP-INIT-002", status: "failed", frames: [{ n: 1, direction: "out" }, { n: 1 }] },
      { id: "DRA-INIT-05", level: "WARN", status: "failed" },
      { status: "unstable" },
      { status: "untested", reason: "no turn was running" },
      { status: "skipped", reason: "loadSession is not advertised" },
      { status: "fault" },
      { level: "INFO" },
    ],
  });
});

describe("other texts are refused", () => {
  it.each([
    ["{", /not JSON/],
    ["[]", /not a report/],
    ['{"v":1,"entries":[]}', /not a report/],
    ['{"v":2,"subject":{},"results":[]}', /version 2/],
    ['{"v":1,"subject":{},"results":[{"id":"A","level":"MUST","status":"ok"}]}', /valid id.*\(A\)/],
  ])("%s", (text, message) => {
    expect(() => parseReport(text)).toThrow(ReportError);
    expect(() => parseReport(text)).toThrow(message);
  });
});
