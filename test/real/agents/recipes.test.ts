import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { CATALOGUE } from "../../../src/apps/cli/agents/catalogue.ts";
import { recipes } from "./recipes.ts";

const rows = recipes.map((recipe) => [recipe.name, recipe] as const);

function read(path: string): string {
  return readFileSync(new URL(path, import.meta.url), "utf8");
}

it.each(rows)("%s is installed in the version of its recipe", (name, recipe) => {
  const { dependencies }: { dependencies: unknown } = JSON.parse(
    read(`packages/${name}/package.json`),
  );
  expect(dependencies).toMatchObject({ [recipe.package]: recipe.version });
});

it.each(rows)("docs/interop.md lists %s with the version of its recipe", (name, recipe) => {
  const lines = read("../../../docs/interop.md").split("\n");
  const cells = lines.map((line) => line.split("|").map((cell) => cell.trim()));
  expect(cells).toContainEqual(["", name, `\`${recipe.package}\``, recipe.version, ""]);
});

it.each(rows)("the catalogue lists the version of the recipe as tried for %s", (name, recipe) => {
  expect(CATALOGUE.find((entry) => entry.name === name)?.tried).toBe(recipe.version);
});
