import { readFile } from "node:fs/promises";
import { afterAll, describe, expect, test } from "vitest";
import {
  type Baseline,
  checkAgent,
  type CheckReport,
  commandSubject,
  judge,
  parseBaseline,
} from "../../../src/conformance/check/index.ts";
import { requirementsFor } from "../../../src/conformance/index.ts";
import { modelRecipeFor } from "../../../src/conformance/scripted-model/index.ts";
import { writeInteropSection } from "../../support/doc-section.ts";
import {
  droidUnavailable,
  type DroidVersion,
  ensureDroid,
  newestDroid,
  oldestDroid,
} from "../../support/droid/install.ts";
import { renderChecks } from "../clients/page.ts";
import { droidAcp } from "./bin.ts";
import { everyDroid } from "../../support/suite.ts";

/** One full run takes five minutes on two idle cores. */
const FULL_RUN_MS = 3_600_000;

/** In `npm test`: the start, a turn, and a cancel. */
const FEW = ["ACP-INIT-002", "ACP-PROMPT-001", "ACP-PROMPT-002", "ACP-CANCEL-001"];

async function checked(
  version: DroidVersion,
  ids: ReadonlySet<string> | undefined,
): Promise<CheckReport> {
  const args = [await droidAcp(), "--droid", await ensureDroid(version)];
  const recipe = modelRecipeFor("droid");
  const subject = commandSubject({ name: "droid-acp", command: process.execPath, args, recipe });
  return checkAgent({ subject, ids });
}

/** Violations that are Droid's own, which droid-acp cannot mend. The newest version has none. */
async function baselineOf(version: DroidVersion): Promise<Baseline> {
  const file = new URL(`baselines/${version}.json`, import.meta.url);
  const known = new Set(requirementsFor("agent", 1).map(({ id }) => id));
  return parseBaseline(await readFile(file, "utf8"), known);
}

const reports = new Map<DroidVersion, { report: CheckReport; baseline: Baseline | undefined }>();

describe.skipIf(droidUnavailable() !== undefined)("dragoman check on droid-acp", () => {
  test.skipIf(everyDroid)("passes a few rules", { timeout: 120_000 }, async () => {
    const report = await checked(newestDroid, new Set(FEW));
    const judged = report.results.filter(({ id }) => FEW.includes(id));
    expect(Object.fromEntries(judged.map(({ id, status }) => [id, status]))).toEqual(
      Object.fromEntries(FEW.map((id) => [id, "passed"])),
    );
  });

  test.runIf(everyDroid).each([newestDroid, oldestDroid])(
    "with Droid %s breaks no rule that is not in its baseline",
    { timeout: FULL_RUN_MS },
    async (version) => {
      const report = await checked(version, undefined);
      const baseline = version === oldestDroid ? await baselineOf(version) : undefined;
      const { outcome, failures, stale, faults } = judge(report, "warn", baseline);
      expect({ failures, stale, faults }).toEqual({ failures: [], stale: [], faults: [] });
      expect(outcome).toBe("passed");
      reports.set(version, { report, baseline });
    },
  );

  afterAll(async () => {
    if (reports.size === 2) await writeInteropSection("droid-checks", pageOf());
  });
});

function pageOf(): string {
  const subjects = [...reports].map(([version, { report }]) => ({
    name: `droid-acp on Droid ${version}`,
    version: "this one",
    report,
  }));
  const reasons = [...reports.values()]
    .flatMap(({ baseline }) => baseline?.entries ?? [])
    .map(({ id, reason }) => `- \`${id}\`: ${reason}`);
  return [renderChecks(subjects, "agent"), reasons.join("\n")].join("\n\n");
}
