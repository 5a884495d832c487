// A whole run over an agent with one defect finds the requirements that the defect names, and no other.
import { describe, expect, it } from "vitest";
import { checkAgent } from "../../src/check/index.ts";
import { agentMutants } from "../support/check/agent-mutants.ts";
import { type AgentMutant, runOf } from "../support/check/agent-rigs.ts";
import { times } from "../support/soak.ts";

async function failuresOf({ rig, defect }: AgentMutant): Promise<readonly string[]> {
  const { results } = await checkAgent(runOf(rig, defect));
  return results
    .filter(({ status }) => status === "failed" || status === "unstable" || status === "fault")
    .map(({ id }) => id);
}

// The ordinary run judges every mutant by its own requirements alone: test/check/check.mutants.test.ts.
describe.concurrent("a whole run over an agent with one defect", () => {
  it.each(agentMutants.slice(0, times(1, agentMutants.length)))(
    "$rig: $defect breaks only $ids",
    async (mutant) => {
      expect((await failuresOf(mutant)).toSorted()).toEqual(mutant.ids.toSorted());
    },
    900_000,
  );
});
