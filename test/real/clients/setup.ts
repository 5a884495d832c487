import { fileURLToPath } from "node:url";
import { ensureDroid, newestDroid } from "../../support/droid/install.ts";
import { ensurePackages, packagesUnavailable } from "../../support/npm-packages.ts";
import { ensureAgent } from "../agents/install.ts";
import { clients } from "./clients.ts";
import { opencode, qwen } from "../agents/recipes.ts";

/** For vitest's `globalSetup`: installs the clients, and the agents they talk to, one after another. */
export async function setup(): Promise<void> {
  const reason = packagesUnavailable();
  if (reason !== undefined) throw new Error(reason);
  await ensureDroid(newestDroid);
  for (const agent of [opencode, qwen]) await ensureAgent(agent);
  for (const { install, version } of clients) {
    if (!install) continue;
    const folder = fileURLToPath(new URL(`packages/${install.folder}/`, import.meta.url));
    await ensurePackages(folder, { ...install, version });
  }
}
