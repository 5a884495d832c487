// Nothing that an agent does may end a check without a report.
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { checkAgent, judge } from "../../../../src/conformance/check/index.ts";
import { commandSubject } from "../../../../src/conformance/check/subject/subject.ts";
import { requirementsFor } from "../../../../src/conformance/index.ts";
import { soak } from "../../../support/soak.ts";
import { rows } from "../../../support/suite.ts";

const program = fileURLToPath(new URL("../../../support/check/hostile-agent.mjs", import.meta.url));

/** A case of each kind: in the shared process, with a turn, with a cancel, with a process of its own. */
const SAMPLE = [
  "ACP-SESSION-001",
  "ACP-PROMPT-001",
  "ACP-LIST-001",
  "DRA-SES-03",
  "DRA-CAN-04",
  "DRA-ROB-01",
  "ACP-SHUTDOWN-001",
];
const all = requirementsFor("agent", 1).map(({ id }) => id);

/** These are slow because of what they make the checker read, so that short limits would end their cases. */
const SLOW: ReadonlySet<string> = new Set(["garbage"]);

async function checked(mode: string) {
  const report = await checkAgent({
    subject: commandSubject({ command: process.execPath, args: [program, mode] }),
    ids: soak ? undefined : new Set(SAMPLE),
    patience: SLOW.has(mode) ? 1 : 0.1,
    repeats: false,
    jobs: 6,
  });
  expect(report.results.map(({ id }) => id)).toEqual(all);
  expect(report.results.filter(({ status }) => status === "fault")).toEqual([]);
  return { ...report, outcome: judge(report, "warn").outcome };
}

describe("a check ends with a whole report", () => {
  it.each(rows(["exits", "silent", "closes-input"]))(
    "that says that the agent did not start: %s",
    { timeout: 300_000 },
    async (mode) => {
      const { outcome, summary } = await checked(mode);
      expect(outcome).toBe("cannot start");
      expect(summary.problem).toMatch(/before it was initialized|did not answer initialize/);
    },
  );

  const modes = [
    "odd-results",
    "silent-after-initialize",
    "silent-turns",
    "dies-by-signal",
    "throws",
    "closes-output",
    "ignores-signals",
    "answers-twice",
    "answers-late",
    "odd-errors",
    "garbage",
    "endless-line",
    "floods-updates",
    "floods-requests",
    "floods-its-errors",
  ];
  it.each(rows(modes))(
    "with the violations of the agent: %s",
    { timeout: 300_000 },
    async (mode) => {
      expect((await checked(mode)).outcome).toBe("failed");
    },
  );

  // Whether these are in time depends on the machine.
  it.each(rows(["one-at-a-time", "floods-at-once", "huge-line"]))(
    "whatever it says: %s",
    { timeout: 300_000 },
    async (mode) => {
      expect((await checked(mode)).summary.problem).not.toBe("");
    },
  );
});
