import { describe, expect, it } from "vitest";
import { turnCases } from "../../../../src/check/agent/turns/cases.ts";
import { checkAgent } from "../../../../src/check/index.ts";
import { requirementsFor } from "../../../../src/conformance/index.ts";
import { modelAgent } from "../../../support/check/model-agent.ts";
import { modelMutants } from "../../../support/check/model-mutants.ts";

const ids = new Set(turnCases.flatMap((one) => one.ids));

/** A mutant reaches the limits on purpose. */
const patience = 0.3;

describe.concurrent("an agent with a model and one defect", () => {
  it.each(modelMutants)("$defect breaks $ids", { timeout: 60_000 }, async (mutant) => {
    const report = await checkAgent({
      subject: modelAgent("--defect", mutant.defect),
      ids: new Set(mutant.ids),
      patience,
    });
    const failed = report.results.filter(({ status }) => status === "failed").map(({ id }) => id);
    expect(failed.toSorted()).toEqual(mutant.ids.toSorted());
  });
});

describe("an agent with a model and without a defect", () => {
  it("passes every requirement about turns", { timeout: 120_000 }, async () => {
    const report = await checkAgent({ subject: modelAgent(), ids });
    const judged = report.results.filter(({ id }) => ids.has(id));
    const others = judged.filter(({ status }) => status !== "passed");
    expect(others).toEqual([]);
    expect(judged.length).toBe(ids.size);
  });
});

it("every requirement about turns that can fail has an agent that breaks it", () => {
  const broken = new Set(modelMutants.flatMap((mutant) => mutant.ids));
  const known = requirementsFor("agent", 1).filter(({ id }) => ids.has(id));
  const wanted = known.filter(({ level }) => level !== "INFO").map(({ id }) => id);
  expect(wanted.filter((id) => !broken.has(id))).toEqual([]);
  expect(known.length).toBe(ids.size);
});
