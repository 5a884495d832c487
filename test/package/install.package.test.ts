// npm, as it installs the package into applications. The AI SDK is a stand-in, so that no registry is needed.
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { unpackTarball, type Packed } from "../support/package.ts";

const run = promisify(execFile);

let packed: Packed;

beforeAll(async () => {
  packed = await unpackTarball();
});

afterAll(() => packed.remove());

/** A tarball of a package without code. */
async function standIn(name: string, version: string, dependencies: object = {}): Promise<string> {
  const id = `${name.replace(/\W/g, "-")}-${version}`;
  const folder = join(packed.scratch, id);
  await mkdir(join(folder, "package"), { recursive: true });
  const manifest = JSON.stringify({ name, version, dependencies });
  await writeFile(join(folder, "package/package.json"), manifest);
  const tarball = join(packed.scratch, `${id}.tgz`);
  await run("tar", ["-czf", tarball, "-C", folder, "package"]);
  return `file:${tarball}`;
}

/** Installs these packages into an application of their own. Resolves to the error of npm, if any. */
async function install(dependencies: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(packed.scratch, "app-"));
  await writeFile(join(folder, "package.json"), JSON.stringify({ private: true, dependencies }));
  const quiet = ["--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"];
  const cache = `--cache=${join(packed.scratch, "cache")}`;
  const args = ["install", "--offline", "--strict-peer-deps", cache, ...quiet];
  const options = { cwd: folder, shell: process.platform === "win32" };
  return await run("npm", args, options).then(
    () => "",
    (error: { stderr: string }) => error.stderr,
  );
}

describe("npm installs the package", () => {
  it.each([
    ["5.0.0", "2.0.0"],
    ["6.0.0", "3.0.0"],
    ["7.0.0", "4.0.0"],
    ["8.0.0-beta.1", "5.0.0-beta.1"],
  ])("into an application with ai %s, which has @ai-sdk/provider %s", async (version, types) => {
    const provider = await standIn("@ai-sdk/provider", types);
    const ai = await standIn("ai", version, { "@ai-sdk/provider": provider });
    const dependencies = { ai, "@ai-sdk/provider": provider, dragoman: `file:${packed.tarball}` };
    expect(await install(dependencies)).toBe("");
  });
});
