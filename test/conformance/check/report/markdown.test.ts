import { describe, expect, it } from "vitest";
import { judge } from "../../../../src/conformance/check/run-verdict.ts";
import { markdownReport } from "../../../../src/conformance/check/report/markdown.ts";
import type { CheckReport } from "../../../../src/conformance/check/index.ts";
import { EVIL, failureOf, MIXED, reportOf, resultOf } from "../support/reports.ts";

function markdownOf(reports: readonly CheckReport[], maxBytes?: number): string {
  return markdownReport(
    reports.map((report) => ({ report, verdict: judge(report) })),
    maxBytes,
  );
}

it("begins with the verdict and the counts", () => {
  expect(markdownOf([reportOf(MIXED)])).toMatch(
    /^## ❌ example 1\.2\.3\n\nThe checker itself failed to judge 1 requirement\. 8 requirements: 2 passed, 2 failed \(1 MUST, 1 WARN\), 1 unstable, 1 not judged by a fault of the checker, 1 untested, 1 skipped\.\n/,
  );
  expect(markdownOf([reportOf([resultOf({ id: "A" })])])).toMatch(/^## ✅ example/);
});

it("has a collapsed part for each finding, failures first", () => {
  const text = markdownOf([reportOf(MIXED)]);
  const ids = [...text.matchAll(/<summary><b>([^<]*)<\/b>/g)].map(([, id]) => id);
  expect(ids).toEqual(["ACP-INIT-002", "ACP-CANCEL-001", "ACP-LOAD-002", "DRA-INIT-05"]);
  expect(text).toContain("Repeat: dragoman check --only ACP-INIT-002 -- example --acp");
});

it("shows several subjects side by side", () => {
  const text = markdownOf([
    reportOf(MIXED),
    reportOf([resultOf({ id: "ACP-INIT-002" })], { name: "other" }),
  ]);
  expect(text).toContain("| Requirement | Level | example 1.2.3 | other 1.2.3 |");
  expect(text).toContain("| ACP-INIT-002 | MUST | ✘ | ✔ |");
  expect(text).not.toContain("| ACP-INIT-001 | MUST |");
});

describe("the limit of 1 MiB", () => {
  const long = reportOf(
    Array.from({ length: 900 }, (_, index) =>
      failureOf(`A-${index}`, { actual: "é".repeat(1000) }),
    ),
  );
  it("is kept in bytes, and the text says how much is missing", () => {
    const text = markdownOf([long]);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(1024 * 1024);
    expect(text).toMatch(
      /\d+ more parts do not fit here\. The JSON and HTML reports have everything\.\n$/,
    );
    expect(text.match(/<details>/g)).toHaveLength(text.match(/<\/details>/g)?.length ?? 0);
  });
  it("leaves a short report whole", () => {
    expect(markdownOf([reportOf(MIXED)])).not.toContain("do not fit");
  });
});

it("nothing from the subject is Markdown or HTML", () => {
  const evil = failureOf("EVIL", { actual: EVIL, frames: [{ n: 1, direction: "in", line: EVIL }] });
  const text = markdownOf([reportOf([evil], { name: EVIL, command: EVIL })]);
  const outside = text.replace(/^(`{3,})text\n[^]*?\n\1$/gm, "");
  expect(outside).not.toMatch(/<script|<img|^# x|(?<!\\)\]\(javascript/m);
  // The fence is longer than the one in the text of the subject.
  expect(text).toContain("````text\n");
});
