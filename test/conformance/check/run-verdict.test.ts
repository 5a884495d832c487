import { describe, expect, it } from "vitest";
import type { Baseline } from "../../../src/conformance/check/baseline.ts";
import { judge } from "../../../src/conformance/check/run-verdict.ts";
import { failureOf, MIXED, reportOf, resultOf } from "./support/reports.ts";

const listing = (...ids: readonly string[]): Baseline => ({
  v: 1,
  entries: ids.map((id) => ({ id, reason: "known" })),
});
const passing = resultOf({ id: "P" });

describe("a run", () => {
  it.each([
    ["MUST", "must", "failed"],
    ["MUST", "warn", "failed"],
    ["SHOULD", "must", "passed"],
    ["SHOULD", "should", "failed"],
    ["WARN", "should", "passed"],
    ["WARN", "warn", "failed"],
    ["INFO", "warn", "passed"],
  ] as const)("with a violated %s at the level %s has %s", (level, least, outcome) => {
    expect(judge(reportOf([passing, failureOf("F", { level })]), least).outcome).toBe(outcome);
  });
  it.each([
    ["untested", "passed"],
    ["skipped", "passed"],
    ["unstable", "failed"],
    ["fault", "fault"],
  ] as const)("with a result that is %s has %s", (status, outcome) => {
    expect(judge(reportOf([resultOf({ id: "F", status })])).outcome).toBe(outcome);
  });
  it("that ended early has the reason as its outcome, even if rules failed", () => {
    for (const ended of ["run limit", "authentication", "cannot start"] as const)
      expect(judge(reportOf(MIXED, {}, ended)).outcome).toBe(ended);
  });
});

describe("a baseline", () => {
  it("accepts what it lists, at any level", () => {
    const report = reportOf([failureOf("F"), failureOf("W", { level: "WARN" }), passing]);
    expect(judge(report, "warn", listing("F", "W")).outcome).toBe("passed");
    expect(judge(report, "warn", listing("F")).failures.map(({ id }) => id)).toEqual(["W"]);
  });
  it("fails the run if an entry passes", () => {
    const verdict = judge(reportOf([passing]), "must", listing("P"));
    expect(verdict.outcome).toBe("failed");
    expect(verdict.stale.map(({ id }) => id)).toEqual(["P"]);
  });
  it("keeps entries that the run did not judge", () => {
    const verdict = judge(
      reportOf([resultOf({ id: "S", status: "skipped" })]),
      "must",
      listing("S"),
    );
    expect(verdict.outcome).toBe("passed");
    expect(verdict.kept.map(({ id }) => id)).toEqual(["S"]);
  });
});
