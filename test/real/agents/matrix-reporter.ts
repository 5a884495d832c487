import type { Reporter, TestModule } from "vitest/node";
import { writeInteropSection } from "../../support/doc-section.ts";
import { type CheckedAgent, renderAgentChecks } from "./check/page.ts";
import { agentsToCheck } from "./check/subjects.ts";
import { renderAgents } from "./matrix.ts";
import { recipes } from "./recipes.ts";

/** Writes the agents of docs/interop.md from the outcomes that the tests recorded. */
export default class MatrixReporter implements Reporter {
  async onTestRunEnd(modules: readonly TestModule[]): Promise<void> {
    const outcomes = outcomesOf(modules);
    const text = renderAgents(recipes, (agent, scenario) => outcomes.get(`${agent} ${scenario}`));
    if (text !== undefined) await writeInteropSection("agents", text);
    else console.log("docs/interop.md keeps its agents, because not all tests ran and passed");
    const checked = modules.flatMap(checkedOf);
    if (checked.length === agentsToCheck.length) {
      await writeInteropSection("agent-checks", renderAgentChecks(checked));
    } else console.log("docs/interop.md keeps its agent-checks, because not all ran and passed");
  }
}

/** The reports of the tests that passed. */
function checkedOf(module: TestModule): readonly CheckedAgent[] {
  return [...module.children.allTests("passed")].flatMap((test) => test.meta().agentCheck ?? []);
}

function outcomesOf(modules: readonly TestModule[]): ReadonlyMap<string, string> {
  const outcomes = new Map<string, string>();
  for (const module of modules) {
    for (const test of module.children.allTests("passed")) {
      const { interop } = test.meta();
      if (interop) outcomes.set(`${interop.agent} ${interop.scenario}`, interop.outcome);
    }
  }
  return outcomes;
}
