import { packagesUnavailable } from "../../support/npm-packages.ts";
import { ensureExample } from "./check/subjects.ts";
import { ensureAgent } from "./install.ts";
import { recipes } from "./recipes.ts";

/** For vitest's `globalSetup`: installs the agents one after another, before the first test. */
export async function setup(): Promise<void> {
  const reason = packagesUnavailable();
  if (reason !== undefined) throw new Error(reason);
  for (const recipe of recipes) await ensureAgent(recipe);
  await ensureExample();
}
