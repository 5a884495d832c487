import { describe, expect, it } from "vitest";
import {
  baselineText,
  compareWithBaseline,
  parseBaseline,
  updatedBaseline,
} from "../../../src/conformance/check/baseline.ts";
import { failureOf, MIXED, reportOf, resultOf } from "./support/reports.ts";

const known = new Set(MIXED.map(({ id }) => id));
const entry = (id: string) => ({ id, reason: "known", link: "https://example/1", version: "1.0" });
const file = (...entries: readonly unknown[]) => JSON.stringify({ v: 1, subject: "x", entries });

describe("the file", () => {
  it("has an id, a reason, a link and a version per entry", () => {
    const baseline = parseBaseline(file(entry("ACP-INIT-002")), known);
    expect(baseline.entries).toEqual([entry("ACP-INIT-002")]);
    expect(parseBaseline(baselineText(baseline), known)).toEqual(baseline);
  });
  it.each([
    ["{", /not JSON/],
    ["[]", /a JSON object with "v": 1/],
    ['{"v":2,"entries":[]}', /a JSON object with "v": 1/],
    [file(1), /entry 1 is not an object/],
    [file({ reason: "x" }), /entry 1 has no "id"/],
    [file({ id: "ACP-INIT-002" }), /ACP-INIT-002 has no "reason"/],
    [file({ id: "ACP-INIT-002", reason: " " }), /ACP-INIT-002 has no "reason"/],
    [file({ ...entry("ACP-INIT-002"), link: 1 }), /"link" of ACP-INIT-002 is not text/],
    [file(entry("ACP-INIT-002"), entry("ACP-INIT-002")), /listed twice/],
    [file(entry("ACP-NOTHING-1")), /"ACP-NOTHING-1" is not the id of a requirement/],
    [file(entry("initialize")), /"initialize" is not the id of a requirement/],
    [file(entry("ACP-*")), /"ACP-\*" is not the id of a requirement/],
  ])("is refused if it is %s", (text, message) => {
    expect(() => parseBaseline(text, known)).toThrow(message);
  });
});

describe("a comparison", () => {
  const compare = (...ids: readonly string[]) => {
    const baseline = parseBaseline(file(...ids.map(entry)), known);
    const { accepted, stale, kept } = compareWithBaseline(MIXED, baseline);
    return {
      accepted: accepted.map(({ result }) => result.id),
      stale: stale.map(({ id }) => id),
      kept: kept.map(({ id }) => id),
    };
  };
  it.each([
    ["a violation that is listed is accepted", "ACP-INIT-002", "accepted"],
    ["so is an unstable one", "ACP-CANCEL-001", "accepted"],
    ["a requirement that passes makes its entry stale", "ACP-INIT-001", "stale"],
    ["one that does not apply keeps its entry", "ACP-LOAD-001", "kept"],
    ["one that is untested keeps its entry", "DRA-CAN-02", "kept"],
    ["one that the checker failed to judge keeps its entry", "ACP-LOAD-002", "kept"],
  ])("%s", (_words, id, where) => {
    expect(compare(id)).toEqual({ accepted: [], stale: [], kept: [], [where]: [id] });
  });
});

describe("an update", () => {
  it("writes a first baseline with the observations as reasons, for the level of the run", () => {
    expect(updatedBaseline(reportOf(MIXED), "must", undefined)).toEqual({
      v: 1,
      subject: "example",
      entries: [
        { id: "ACP-INIT-002", reason: "an error with the code -32603", version: "1.2.3" },
        { id: "ACP-CANCEL-001", reason: "unstable: end_turn in 1 of 3 runs", version: "1.2.3" },
      ],
    });
    const ids = updatedBaseline(reportOf(MIXED), "warn", undefined).entries.map(({ id }) => id);
    expect(ids).toContain("DRA-INIT-05");
  });
  it("removes stale entries and keeps the words of all others", () => {
    const before = parseBaseline(
      file(...["ACP-LOAD-001", "ACP-INIT-001", "ACP-INIT-002"].map(entry)),
      known,
    );
    const after = updatedBaseline(reportOf(MIXED), "must", before);
    expect(after.subject).toBe("x");
    expect(after.entries.map(({ id }) => id)).toEqual([
      "ACP-INIT-002",
      "ACP-CANCEL-001",
      "ACP-LOAD-001",
    ]);
    expect(after.entries[0]).toEqual(entry("ACP-INIT-002"));
  });
  it("accepts everything that it wrote", () => {
    const report = reportOf([failureOf("A", { actual: "" }), resultOf({ id: "B" })]);
    const ids = new Set(["A", "B"]);
    const written = baselineText(updatedBaseline(report, "must", undefined));
    const { accepted, stale } = compareWithBaseline(report.results, parseBaseline(written, ids));
    expect([accepted.length, stale.length]).toEqual([1, 0]);
  });
});
