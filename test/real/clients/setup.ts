import { fileURLToPath } from "node:url";
import { ensureDroid, newestDroid } from "../../support/droid/install.ts";
import { ensurePackages, packagesUnavailable } from "../../support/npm-packages.ts";
import { ensureAgent } from "../agents/install.ts";
import { opencode } from "../agents/recipes/opencode.ts";
import { clients } from "./clients.ts";

/** For vitest's `globalSetup`: installs the clients one after another, before the first test. */
export async function setup(): Promise<void> {
  const reason = packagesUnavailable();
  if (reason !== undefined) throw new Error(reason);
  await ensureDroid(newestDroid);
  await ensureAgent(opencode);
  for (const { install, version } of clients) {
    if (!install) continue;
    const folder = fileURLToPath(new URL(`packages/${install.folder}/`, import.meta.url));
    await ensurePackages(folder, { ...install, version });
  }
}
