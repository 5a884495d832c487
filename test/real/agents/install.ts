import { spawn } from "node:child_process";
import { chmod, copyFile, mkdtemp, readFile, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { AgentRecipe } from "./recipe.ts";

const packages = fileURLToPath(new URL("packages/", import.meta.url));

/** Why the agents cannot run on this machine; undefined if they can. */
export function agentsUnavailable(): string | undefined {
  if (process.platform === "linux" && process.arch === "x64") return undefined;
  return `the lock files are for linux x64, but this machine is ${process.platform} ${process.arch}`;
}

/** The parts of a recipe that describe what to install. */
export type Install = Pick<AgentRecipe, "name" | "package" | "version" | "executables">;

/** The path of the agent's `node_modules`. */
export function modulesOf(name: string): string {
  return join(packages, name, "node_modules");
}

/** Installs an agent next to its lock file if it is missing. Only one process does this, before all tests. */
export async function ensureAgent({ name, executables, ...wanted }: Install): Promise<void> {
  const modules = modulesOf(name);
  const manifest = await readFile(join(modules, wanted.package, "package.json"), "utf8").catch(
    () => "{}",
  );
  const found: { readonly version?: unknown } = JSON.parse(manifest);
  if (found.version === wanted.version) return;
  await rm(modules, { recursive: true, force: true });
  // Install into another folder and then rename it, so that the final folder is always complete, even
  // if an install was killed midway.
  const staging = await mkdtemp(join(packages, name, ".staging-"));
  const scratch = await mkdtemp(join(tmpdir(), "dragoman-npm-"));
  try {
    for (const file of ["package.json", "package-lock.json", ".npmrc"]) {
      await copyFile(join(packages, name, file), join(staging, file));
    }
    await runNpmInstall(staging, scratch);
    for (const file of executables) await chmod(join(staging, "node_modules", file), 0o755);
    await rename(join(staging, "node_modules"), modules);
  } finally {
    await rm(staging, { recursive: true, force: true });
    await rm(scratch, { recursive: true, force: true });
  }
}

/**
 * Uses `install` instead of `ci`, which rejects a lock file without the native packages of other systems.
 * Skips install scripts: they would write to the home folder, and no agent needs them to run.
 */
async function runNpmInstall(cwd: string, cache: string): Promise<void> {
  const quiet = ["--no-audit", "--no-fund", "--logs-max=0", "--loglevel=error"];
  const child = spawn("npm", ["install", "--ignore-scripts", ...quiet, "--cache", cache], {
    cwd,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  if (code !== 0) throw new Error(`npm install in ${cwd} exited with code ${code}:\n${output}`);
}
