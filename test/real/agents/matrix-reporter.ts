import { writeFile } from "node:fs/promises";
import type { Reporter, TestModule } from "vitest/node";
import { renderPage } from "./matrix.ts";
import { recipes } from "./recipes.ts";

const page = new URL("../../../docs/interop.md", import.meta.url);

/** Writes docs/interop.md from the outcomes that the tests recorded. */
export const matrixReporter: Reporter = {
  async onTestRunEnd(modules) {
    const outcomes = outcomesOf(modules);
    const text = renderPage(recipes, (agent, scenario) => outcomes.get(`${agent} ${scenario}`));
    if (text !== undefined) await writeFile(page, `${text}\n`);
    else console.log("docs/interop.md is unchanged, because not all tests ran and passed");
  },
};

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
