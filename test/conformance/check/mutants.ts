import { describe, expect, it } from "vitest";
import { checkAgent } from "../../../src/conformance/check/index.ts";
import { type AgentMutant, type AgentRigName, runOf } from "../../support/check/agent-rigs.ts";

/** A mutant reaches limits on purpose, so they are short. */
const PATIENCE = 0.3;

/** The agent itself starts at once, but its commands and servers do not. */
const PATIENT: ReadonlySet<AgentRigName> = new Set(["model"]);

/** Tests that each agent breaks the requirements that it names, and that they are the only ones judged. */
export function breaksItsRequirements(mutants: readonly AgentMutant[]): void {
  describe.concurrent("an agent with one defect", () => {
    it.each(mutants)("$rig: $defect breaks $ids", { timeout: 180_000 }, async (mutant) => {
      const { results } = await checkAgent({
        ...runOf(mutant.rig, mutant.defect),
        ids: new Set(mutant.ids),
        patience: PATIENT.has(mutant.rig) ? 1 : PATIENCE,
        repeats: false,
      });
      const judged = results.filter(({ id }) => mutant.ids.includes(id));
      const others = judged.filter(({ status }) => status !== "failed");
      expect(others).toEqual([]);
      for (const { expected, actual } of judged) {
        expect(expected).not.toBe("");
        expect(actual).not.toBe("");
      }
    });
  });
}
