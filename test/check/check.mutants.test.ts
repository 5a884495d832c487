import { describe, expect, it } from "vitest";
import { checkAgent } from "../../src/check/index.ts";
import type { AgentCheckOptions } from "../../src/check/run/options.ts";
import type { CheckReport, CheckStatus } from "../../src/check/result.ts";
import {
  basicMutants,
  basicVariations,
  processMutants,
  type BasicMutant,
} from "../support/check/basic-mutants.ts";
import { basicInProcess, basicProgram, v2InProcess } from "../support/check/in-process.ts";
import { v2Mutants } from "../support/check/v2-mutants.ts";

/** Judges the agent with one defect, by the requirements that the defect breaks. */
function judged(
  { defect, ids, withLogin = false }: BasicMutant,
  start: typeof basicInProcess,
  protocol: 1 | 2 = 1,
): Promise<CheckReport> {
  const options: Partial<AgentCheckOptions> = withLogin
    ? { authMethod: "login", optIn: new Set(["logout"]) }
    : {};
  const switches = withLogin ? ["with-login", defect] : [defect];
  const prompts = { slow: "slow", ask: "ask" };
  const subject = start(...switches);
  return checkAgent({ subject, ids: new Set(ids), protocol, prompts, patience: 0.3, ...options });
}

function withStatus(
  { results }: CheckReport,
  ...statuses: readonly CheckStatus[]
): readonly string[] {
  return results.filter(({ status }) => statuses.includes(status)).map(({ id }) => id);
}

describe.concurrent("an agent with one defect", () => {
  it.each(basicMutants)("$defect breaks $ids", async (mutant) => {
    const report = await judged(mutant, basicInProcess);
    expect(withStatus(report, "failed").toSorted()).toEqual(mutant.ids.toSorted());
  });
  it.each(v2Mutants)("of version 2, $defect breaks $ids", async (mutant) => {
    const report = await judged(mutant, v2InProcess, 2);
    expect(withStatus(report, "failed").toSorted()).toEqual(mutant.ids.toSorted());
  });
  it.each(processMutants)("$defect breaks $ids", async (mutant) => {
    const report = await judged(mutant, basicProgram);
    expect(withStatus(report, "failed").toSorted()).toEqual(mutant.ids.toSorted());
  });
});

describe.concurrent("an agent with a habit of its own", () => {
  it.each(basicVariations)("$defect breaks nothing of $ids", async (variation) => {
    const report = await judged(variation, basicInProcess);
    expect(withStatus(report, "passed").toSorted()).toEqual(variation.ids.toSorted());
  });
});

describe("an agent without a defect", () => {
  it("breaks nothing", async () => {
    const report = await checkAgent({ subject: basicInProcess() });
    expect(withStatus(report, "failed", "unstable", "fault")).toEqual([]);
  });
  it("breaks nothing in version 2", async () => {
    const prompts = { slow: "slow", ask: "ask" };
    const report = await checkAgent({ subject: v2InProcess(), protocol: 2, prompts });
    expect(withStatus(report, "failed", "unstable", "fault")).toEqual([]);
  });
  it("breaks nothing with a sign-in", async () => {
    const report = await checkAgent({
      subject: basicInProcess("with-login"),
      authMethod: "login",
      optIn: new Set(["logout"]),
    });
    expect(withStatus(report, "failed", "unstable", "fault")).toEqual([]);
  });
});
