import { packagesUnavailable } from "../../support/npm-packages.ts";
import { ensureAgent } from "../agents/install.ts";
import { qwen } from "../agents/recipes/qwen.ts";

/** For vitest's `globalSetup`: installs the server before the first test. */
export async function setup(): Promise<void> {
  const reason = packagesUnavailable();
  if (reason !== undefined) throw new Error(reason);
  await ensureAgent(qwen);
}
