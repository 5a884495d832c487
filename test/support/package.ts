// The package as users get it: the tarball, unpacked into a project that has nothing else.
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { inject } from "vitest";

const run = promisify(execFile);
export const root = fileURLToPath(new URL("../../", import.meta.url));
export const modules = join(root, "node_modules");

export const manifest = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as {
  version: string;
  files: string[];
  exports: Record<string, string | { default: string; browser?: { default: string } }>;
  bin: Record<string, string>;
  scripts: Record<string, string>;
  dependencies?: unknown;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, unknown>;
  publishConfig?: unknown;
};

/** The names that users import the package by. */
export const entries = Object.keys(manifest.exports)
  .filter((entry) => entry !== "./package.json")
  .map((entry) => entry.replace(/^\./, "dragoman"));

export interface Result {
  readonly code: number;
  readonly output: string;
}

/** Runs a JavaScript file with this Node. A failure is a result, not an exception. */
export async function node(args: readonly string[], cwd: string): Promise<Result> {
  try {
    const { stdout, stderr } = await run(process.execPath, args, { cwd });
    return { code: 0, output: stdout + stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, output: stdout + stderr };
  }
}

declare module "vitest" {
  interface ProvidedContext {
    tarball: string;
    shipped: readonly string[];
  }
}

export interface Tarball {
  readonly tarball: string;
  /** The paths in the tarball. */
  readonly shipped: readonly string[];
  remove(): Promise<void>;
}

/** Builds and packs a copy, so that neither an existing dist/ nor docs/api has any influence. */
export async function packProject(): Promise<Tarball> {
  const scratch = await mkdtemp(join(tmpdir(), "dragoman-package-"));
  const stage = join(scratch, "stage");
  await mkdir(stage);
  await Promise.all(
    ["package.json", "README.md", "LICENSE", ...manifest.files]
      .filter((file) => file !== "dist")
      .map((file) => cp(join(root, file), join(stage, file), { recursive: true })),
  );
  const reference = join(stage, "docs/api");
  await rm(reference, { recursive: true, force: true });
  const dist = join(stage, "dist");
  for (const [script, ...args] of [
    ["build.mjs", "--out", dist],
    ["api-docs.mjs", "--types", dist, "--out", reference],
  ] as const) {
    const { code, output } = await node([join(root, "scripts", script), ...args], root);
    if (code !== 0 || output !== "") throw new Error(`${script} failed: ${output}`);
  }
  const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", scratch];
  const { stdout } = await run("npm", args, { cwd: stage, shell: process.platform === "win32" });
  const [packed] = JSON.parse(stdout) as [{ filename: string; files: { path: string }[] }];
  return {
    tarball: join(scratch, packed.filename),
    shipped: packed.files.map(({ path }) => path),
    remove: () => rm(scratch, { recursive: true, force: true }),
  };
}

export interface Packed extends Tarball {
  /** A folder for scratch files. */
  readonly scratch: string;
  /** A project whose node_modules holds the unpacked tarball and nothing else. */
  readonly consumer: string;
  /** The unpacked tarball. */
  readonly home: string;
}

/** Unpacks the tarball that the set-up of the suite made into a project of its own. */
export async function unpackTarball(): Promise<Packed> {
  const scratch = await mkdtemp(join(tmpdir(), "dragoman-unpacked-"));
  const tarball = inject("tarball");
  const consumer = join(scratch, "consumer");
  const home = join(consumer, "node_modules/dragoman");
  await mkdir(home, { recursive: true });
  await run("tar", ["-xzf", tarball, "-C", home, "--strip-components=1"]);
  await writeFile(join(consumer, "package.json"), '{ "type": "module" }\n');
  return {
    scratch,
    tarball,
    shipped: inject("shipped"),
    consumer,
    home,
    remove: () => rm(scratch, { recursive: true, force: true }),
  };
}
