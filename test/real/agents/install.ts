import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensurePackages } from "../../support/npm-packages.ts";
import type { AgentRecipe } from "./recipe.ts";

const packages = fileURLToPath(new URL("packages/", import.meta.url));

/** The path of the agent's `node_modules`. */
export function modulesOf(name: string): string {
  return join(packages, name, "node_modules");
}

/** Installs an agent next to its lock file if it is missing. */
export async function ensureAgent(recipe: AgentRecipe): Promise<void> {
  await ensurePackages(join(packages, recipe.name), recipe);
}
