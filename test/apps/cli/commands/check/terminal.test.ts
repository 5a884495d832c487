import { describe, expect, it } from "vitest";
import {
  byArea,
  judge,
  resultVerdict,
  type CheckReport,
} from "../../../../../src/conformance/check/index.ts";
import {
  areaText,
  closingText,
  findingsText,
} from "../../../../../src/apps/cli/commands/check/terminal.ts";
import { withoutStyles } from "../../../../../src/apps/cli/render/terminal/columns.ts";
import { ansi, plain } from "../../../../../src/apps/cli/render/terminal/style.ts";
import {
  EVIL,
  failureOf,
  MIXED,
  reportOf,
  resultOf,
} from "../../../../conformance/check/support/reports.ts";

const pipe = { columns: undefined, style: plain };
const judged = (report: CheckReport) => ({ report, verdict: judge(report) });

describe("an area", () => {
  const text = byArea(MIXED)
    .map((area) => areaText(area, resultVerdict({ level: "must", baseline: undefined }), pipe))
    .join("");
  it("has a line for each requirement, with a mark that needs no color", () => {
    expect(text).toBe(
      [
        "  initialize",
        "    ✔   ACP-INIT-001 The subject keeps ACP-INIT-001",
        "    ✘   ACP-INIT-002 MUST: The subject keeps ACP-INIT-002",
        "    !   DRA-INIT-05 WARN: The subject keeps DRA-INIT-05",
        "",
        "  cancel",
        "    ✘   ACP-CANCEL-001 unstable, MUST: The subject keeps ACP-CANCEL-001",
        "    ?   DRA-CAN-02 The subject keeps DRA-CAN-02 (no turn was running)",
        "",
        "  load",
        "    –   ACP-LOAD-001 The subject keeps ACP-LOAD-001 (loadSession is not advertised)",
        "    ⚠   ACP-LOAD-002 MUST: The subject keeps ACP-LOAD-002",
        "    ✔   ACP-STDERR-001 The subject keeps ACP-STDERR-001",
        "",
        "",
      ].join("\n"),
    );
  });
  it("puts requirements that were left out for the same reason on one line", () => {
    const left = ["A-1", "A-2"].map((id) =>
      resultOf({ id, status: "skipped", reason: "no model", area: "a" }),
    );
    const [area] = byArea([...left, resultOf({ id: "A-3", area: "a", title: "It works." })]);
    if (area === undefined) throw new Error("no area");
    expect(areaText(area, ({ status }) => (status === "passed" ? "passed" : "skipped"), pipe)).toBe(
      "  a\n    –   A-1, A-2: no model\n    ✔   A-3 It works\n\n",
    );
  });
  it("fits the width of a terminal", () => {
    const [area] = byArea([failureOf("ACP-INIT-002", { title: "word ".repeat(40) })]);
    if (area === undefined) throw new Error("no area");
    const shown = areaText(area, () => "failure", { columns: 40, style: ansi });
    for (const line of withoutStyles(shown).split("\n"))
      expect(line.length).toBeLessThanOrEqual(40);
  });
});

describe("the findings", () => {
  it("show the sentence, the observation, the frames and how to repeat the case", () => {
    expect(findingsText(judged(reportOf([failureOf("ACP-INIT-002")])), pipe)).toBe(
      [
        "Findings:",
        "",
        "  1) ACP-INIT-002 MUST failed",
        "     The subject keeps ACP-INIT-002",
        "     Source:   v1/initialization",
        "     Expected: a result with protocolVersion 1",
        "     Actual:   an error with the code -32603",
        "     Evidence: 2 frames",
        "     Repeat:   dragoman check --only ACP-INIT-002 -- example --acp",
        "     Frames:",
        '       #1 -> {"jsonrpc":"2.0","id":0,"method":"initialize"}',
        '       #1 <- {"jsonrpc":"2.0","id":0,"error":{"code":-32603}}',
        "",
        "",
      ].join("\n"),
    );
  });
  it("have one line for each violation that the baseline accepts", () => {
    const report = reportOf([failureOf("A"), failureOf("B")]);
    const entry = { id: "A", reason: "we know", link: "https://example.com/1" };
    const verdict = judge(report, "must", { v: 1, entries: [entry] });
    const text = findingsText({ report, verdict }, pipe);
    expect(text).toContain("  1) B MUST failed\n");
    expect(text).toMatch(
      /\n\nAccepted by the baseline:\n\n {2}A MUST: we know \(https:\/\/example.com\/1\)\n\n$/,
    );
  });
  it("are nothing if nothing was found", () => {
    expect(findingsText(judged(reportOf([])), pipe)).toBe("");
  });
  it("cannot act on the terminal", () => {
    const evil = failureOf("EVIL", {
      actual: EVIL,
      frames: [{ n: 1, direction: "in", line: EVIL }],
    });
    const report = reportOf([evil], { name: EVIL });
    const text = findingsText(judged(report), pipe) + closingText(judged(report), pipe);
    expect(text).not.toMatch(/(?!\n)\p{Cc}/u);
  });
});

it("the end names the subject, the counts and the outcome", () => {
  expect(closingText(judged(reportOf([failureOf("A")])), pipe)).toBe(
    [
      "example 1.2.3 (agent, ACP 1, requirements v1-2026-08, schema 2.4.0 (b7f0005))",
      "1 requirement: 1 failed (1 MUST), in 4.2 s",
      "1 requirement failed at the level must",
      "",
    ].join("\n"),
  );
});
