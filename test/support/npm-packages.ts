import { spawn } from "node:child_process";
import { chmod, copyFile, mkdtemp, readFile, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The package that a folder exists for. */
export interface WantedPackage {
  readonly package: string;
  readonly version: string;
  /** Files below `node_modules` that must be executable. */
  readonly executables: readonly string[];
}

/** Why the packages cannot run on this machine; undefined if they can. */
export function packagesUnavailable(): string | undefined {
  if (process.platform === "linux" && process.arch === "x64") return undefined;
  return `the lock files are for linux x64, but this machine is ${process.platform} ${process.arch}`;
}

/**
 * Installs the packages of a folder next to its lock file, unless they are there. Only one process does
 * this, before all tests.
 */
export async function ensurePackages(folder: string, wanted: WantedPackage): Promise<void> {
  const modules = join(folder, "node_modules");
  const manifest = await readFile(join(modules, wanted.package, "package.json"), "utf8").catch(
    () => "{}",
  );
  const found: { readonly version?: unknown } = JSON.parse(manifest);
  if (found.version === wanted.version) return;
  await rm(modules, { recursive: true, force: true });
  // Install into another folder and then rename it, so that the final folder is always complete, even
  // if an install was killed midway.
  const staging = await mkdtemp(join(folder, ".staging-"));
  const scratch = await mkdtemp(join(tmpdir(), "dragoman-npm-"));
  try {
    for (const file of ["package.json", "package-lock.json", ".npmrc"]) {
      await copyFile(join(folder, file), join(staging, file));
    }
    await runNpmInstall(staging, scratch);
    for (const file of wanted.executables) await chmod(join(staging, "node_modules", file), 0o755);
    await rename(join(staging, "node_modules"), modules);
  } finally {
    await rm(staging, { recursive: true, force: true });
    await rm(scratch, { recursive: true, force: true });
  }
}

/**
 * Uses `install` instead of `ci`, which rejects a lock file without the native packages of other systems.
 * Skips install scripts: they would write to the home folder, and nothing here needs them to run.
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
