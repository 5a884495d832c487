// Nothing that a client does may end a check without a report.
import { describe, expect, it } from "vitest";
import { judge } from "../../../../src/conformance/check/index.ts";
import { requirementsFor } from "../../../../src/conformance/index.ts";
import { soak } from "../../../support/soak.ts";
import { rows } from "../../../support/suite.ts";
import { clientRig } from "./rig.ts";

const rig = clientRig();

/** A case of each kind: several waits at once, a cancel, the end of the agent, all traffic. */
const SAMPLE = ["DRC-RPC-03", "DRC-TERM-03", "DRC-CAN-02", "DRC-END-03", "DRC-FRAME-01"];
/** The client itself takes long to end. */
const SLOW = soak
  ? ([
      ["hostile", "closes-output"],
      ["hostile", "floods-its-output"],
    ] as const)
  : [];
const all = requirementsFor("client", 1).map(({ id }) => id);

async function checked(kind: "defect" | "hostile", mode: string) {
  const report = await rig[kind](mode, {
    ids: soak ? undefined : SAMPLE,
    floorMs: 300,
    firstMs: 3000,
    jobs: 6,
  });
  expect(report.results.map(({ id }) => id)).toEqual(all);
  expect(report.results.filter(({ status }) => status === "fault")).toEqual([]);
  return { ...report, outcome: judge(report, "warn").outcome };
}

describe("a check ends with a whole report", () => {
  it.each(rows(["exits", "does-nothing"]))(
    "that says that the client did not start the agent: %s",
    { timeout: 590_000 },
    async (mode) => {
      const { outcome, summary } = await checked("hostile", mode);
      expect(outcome).toBe("cannot start");
      expect(summary.problem).toContain("did not start the agent");
    },
  );

  const quiet = [
    ["defect", "answers-twice"],
    ["defect", "never-answers"],
    ["defect", "one-at-a-time"],
    ["defect", "answers-late"],
    ["hostile", "dies-by-signal"],
    ["hostile", "throws"],
    ["hostile", "closes-input"],
    ["hostile", "closes-both"],
    ["hostile", "ignores-signals"],
    ["hostile", "odd-results"],
    ["hostile", "odd-errors"],
    ["hostile", "garbage"],
  ] as const;
  const loud = [
    ["hostile", "huge-line"],
    ["hostile", "endless-line"],
    ["hostile", "floods-notifications"],
    ["hostile", "floods-prompts"],
    ["hostile", "floods-answers"],
    ...SLOW,
  ] as const;
  const endsJudged = async (kind: "defect" | "hostile", mode: string): Promise<void> => {
    const report = await checked(kind, mode);
    expect(["passed", "failed"]).toContain(report.outcome);
  };
  // They mostly wait.
  it.concurrent.each(rows(quiet))(
    "with the violations of the client: %s %s",
    { timeout: 590_000 },
    endsJudged,
  );
  it.each(rows(loud))("with the violations of the client: %s %s", { timeout: 590_000 }, endsJudged);
});
