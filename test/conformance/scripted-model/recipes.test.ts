import { expect, it } from "vitest";
import { CATALOGUE } from "../../../src/apps/cli/agents/catalogue.ts";
import { modelRecipeFor } from "../../../src/conformance/scripted-model/index.ts";

const recipes = CATALOGUE.flatMap(({ name }) => modelRecipeFor(name) ?? []);
const paths = { home: "/home/agent", modelUrl: "http://127.0.0.1:1234" };

it("there are recipes for Droid and six agents of the catalogue", () => {
  expect(recipes.map(({ name }) => name)).toEqual([
    "droid",
    "claude",
    "claude-zed",
    "gemini",
    "opencode",
    "qwen",
    "kimi",
  ]);
});

it("an agent without a recipe has none", () => {
  expect(modelRecipeFor("demo")).toBeUndefined();
});

it.each(recipes.map((recipe) => [recipe.name, recipe] as const))(
  "%s is given the address of the model",
  (_name, recipe) => {
    expect(JSON.stringify(recipe.setUp(paths))).toContain(paths.modelUrl);
  },
);
