// A whole run over an agent with one defect finds the requirements that the defect names, and no other.
import { describe, expect, it } from "vitest";
import { checkAgent } from "../../../src/conformance/check/index.ts";
import { agentMutants } from "../../support/check/agent-mutants.ts";
import { type AgentMutant, runOf } from "../../support/check/agent-rigs.ts";
import { soak, times } from "../../support/soak.ts";

async function failuresOf({ rig, defect }: AgentMutant): Promise<readonly string[]> {
  const { results } = await checkAgent(runOf(rig, defect));
  return results
    .filter(({ status }) => status === "failed" || status === "unstable" || status === "fault")
    .map(({ id }) => id);
}

// The ordinary run judges every mutant by its own requirements alone: test/conformance/check/check.mutants.test.ts.
const mutants = agentMutants.slice(0, times(1, agentMutants.length));
const isProgram = ({ rig }: AgentMutant): boolean => rig.endsWith("program");
const LIMIT_MS = 900_000;

async function breaksOnlyItsIds(mutant: AgentMutant): Promise<void> {
  expect((await failuresOf(mutant)).toSorted()).toEqual(mutant.ids.toSorted());
}

describe.concurrent("a whole run over an agent with one defect", () => {
  const inProcess = mutants.filter((mutant) => !isProgram(mutant));
  it.each(inProcess)("$rig: $defect breaks only $ids", breaksOnlyItsIds, LIMIT_MS);
});

// Their cases measure how processes end and stall, which many at the same time would disturb.
describe.runIf(soak)("a whole run over a program with one defect", () => {
  it.each(mutants.filter(isProgram))("$rig: $defect breaks only $ids", breaksOnlyItsIds, LIMIT_MS);
});
