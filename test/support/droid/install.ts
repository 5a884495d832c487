import { spawn } from "node:child_process";
import {
  chmod,
  copyFile,
  mkdir,
  mkdtemp,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { isRunning } from "../../../src/base/index.ts";
import { everyDroid } from "../suite.ts";

/** The versions that the tests use, newest first. Each has its own folder with a lock file. */
export const droidVersions = ["0.225.2", "0.215.0", "0.117.0", "0.99.0"] as const;

export type DroidVersion = (typeof droidVersions)[number];

export const newestDroid: DroidVersion = "0.225.2";
export const oldestDroid: DroidVersion = "0.99.0";

/** The newest and the oldest version, or all in the suite `droid`. */
export function testedDroids(): readonly DroidVersion[] {
  return everyDroid ? droidVersions : [newestDroid, oldestDroid];
}

/** For tests that take long: the newest version, or all in the suite `droid`. */
export function droidsOfLongTests(): readonly DroidVersion[] {
  return everyDroid ? droidVersions : [newestDroid];
}

/** Most differences between versions are between 0.117 and 0.215 (docs/droid-protocol.md). */
export function isNewDroid(version: DroidVersion): boolean {
  return version === "0.225.2" || version === "0.215.0";
}

/** Why the real Droid cannot run on this machine; undefined if it can. */
export function droidUnavailable(): string | undefined {
  if (process.platform === "linux" && process.arch === "x64") return undefined;
  return `the Droid used in the tests runs on linux x64, but this is ${process.platform} ${process.arch}`;
}

const versionsFolder = fileURLToPath(new URL("../../real/droid/versions/", import.meta.url));
const binary = join("node_modules", "@factory", "cli-linux-x64", "bin", "droid");
const installs = new Map<DroidVersion, Promise<string>>();

/** Returns the path of the executable of a version, and installs it first if necessary. */
export function ensureDroid(version: DroidVersion): Promise<string> {
  const known = installs.get(version);
  if (known !== undefined) return known;
  const install = installOnce(version);
  installs.set(version, install);
  return install;
}

async function installOnce(version: DroidVersion): Promise<string> {
  const reason = droidUnavailable();
  if (reason !== undefined) throw new Error(reason);
  const folder = join(versionsFolder, version);
  const path = join(folder, binary);
  if (await exists(path)) return path;
  const unlock = await lock(join(folder, ".installing"));
  try {
    if (!(await exists(path))) await install(folder);
  } finally {
    await unlock();
  }
  return path;
}

async function install(folder: string): Promise<void> {
  // Install in a staging folder and rename it, so that the final folder is complete even if an
  // install is killed halfway.
  const staging = await mkdtemp(join(folder, ".staging-"));
  const cache = await mkdtemp(join(tmpdir(), "dragoman-npm-"));
  try {
    for (const name of ["package.json", "package-lock.json", ".npmrc"]) {
      await copyFile(join(folder, name), join(staging, name));
    }
    await runNpm(
      ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--logs-max=0", "--cache", cache],
      staging,
    );
    await chmod(join(staging, binary), 0o755);
    await rename(join(staging, "node_modules"), join(folder, "node_modules"));
  } finally {
    await rm(staging, { recursive: true, force: true });
    await rm(cache, { recursive: true, force: true });
  }
}

async function runNpm(args: readonly string[], cwd: string): Promise<void> {
  const child = spawn("npm", args, { cwd, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  if (code !== 0) throw new Error(`npm ${args[0]} in ${cwd} exited with code ${code}:\n${output}`);
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/**
 * Allows one install at a time across processes, because test files run in parallel. mkdir is
 * atomic everywhere.
 */
async function lock(path: string): Promise<() => Promise<void>> {
  const owner = join(path, "pid");
  for (;;) {
    try {
      await mkdir(path);
      await writeFile(owner, String(process.pid));
      return () => rm(path, { recursive: true, force: true });
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    }
    const pid = Number(await readFile(owner, "utf8").catch(() => ""));
    if (pid > 0 && !isRunning(pid)) await rm(path, { recursive: true, force: true });
    else await delay(200);
  }
}
