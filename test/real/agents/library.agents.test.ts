import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { describeObserved } from "./matrix.ts";
import {
  scenarioNames,
  scenarioTitles,
  type AgentRecipe,
  type Observed,
  type ScenarioName,
} from "./recipe.ts";
import { gemini, recipes } from "./recipes.ts";
import { Rig } from "./rig.ts";
import { scenarios, writesANewFile } from "./scenarios.ts";

describe.each(recipes.map((recipe) => [recipe.name, recipe] as const))("%s", (_name, recipe) => {
  const { current } = sharedRig(recipe);

  it("has the name and version of its recipe", () => {
    expect(current().client.agent.info).toMatchObject(recipe.info);
    expect(recipe.info.version).toBe(recipe.version);
  });

  for (const name of scenarioNames) {
    it(scenarioTitles[name], async ({ task }) => {
      const { seen, outcome } = await observe(name, current());
      task.meta.interop = { agent: recipe.name, scenario: name, outcome };
      expect(seen).toEqual(recipe.expected[name]);
    });
  }
});

describe("gemini", () => {
  it.each([
    { missingFile: "error", written: false, outcome: "cannot create a file" },
    { missingFile: "empty", written: true, outcome: "creates a file" },
  ] as const)("$outcome if the client reports a missing file as $missingFile", async (given) => {
    const rig = await Rig.start(gemini, { missingFile: given.missingFile });
    try {
      expect(await writesANewFile(rig)).toBe(given.written);
    } finally {
      await rig.dispose();
    }
  });
});

async function observe<S extends ScenarioName>(
  name: S,
  rig: Rig,
): Promise<{ seen: Observed[S]; outcome: string }> {
  const seen = await scenarios[name](rig);
  return { seen, outcome: describeObserved[name](seen) };
}

/** One process for all scenarios of an agent, and a new one after a failure. */
function sharedRig(recipe: AgentRecipe): { current: () => Rig } {
  let rig: Rig | undefined;
  beforeEach(async () => {
    rig ??= await Rig.start(recipe);
  });
  afterEach(async ({ task }) => {
    if (task.result?.state !== "fail") return;
    const failed = rig;
    rig = undefined;
    await failed?.dispose();
  });
  afterAll(async () => {
    await rig?.dispose();
  });
  return {
    current: () => {
      if (!rig) throw new Error("the agent was not started");
      return rig;
    },
  };
}
