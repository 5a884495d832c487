import { fileURLToPath } from "node:url";
import { ensurePackages, packagesUnavailable } from "../../support/npm-packages.ts";
import { ensureAgent } from "../agents/install.ts";
import { qwen } from "../agents/recipes/qwen.ts";
import { useAcp } from "../clients/clients/libraries.ts";

/** For vitest's `globalSetup`: installs the server and the client before the first test. */
export async function setup(): Promise<void> {
  const reason = packagesUnavailable();
  if (reason !== undefined) throw new Error(reason);
  await ensureAgent(qwen);
  const { install, version } = useAcp;
  if (!install) return;
  const folder = new URL(`../clients/packages/${install.folder}/`, import.meta.url);
  await ensurePackages(fileURLToPath(folder), { ...install, version });
}
