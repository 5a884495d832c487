// @ts-check
// The ordinary tests on other Node releases, and those of the packed package on Bun and Deno. All of them come
// from npm. We install the packages for this platform directly, because the wrappers only run install scripts,
// which npm may block.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { root, step, tool } from "./run.mjs";

const { platform, arch } = process;
const isWindows = platform === "win32";
const suffix = isWindows ? ".exe" : "";

const nodes = ["22", "24"].map((version) => ({
  name: "Node",
  version,
  package: `node-${isWindows ? "win" : platform}-${arch}`,
  file: `bin/node${suffix}`,
}));

/** Other runtimes: `run` are the arguments before the name of a file. */
const others = [
  {
    name: "Bun",
    version: "1.4.4",
    package: `@oven/bun-${isWindows ? "windows" : platform}-${arch === "arm64" ? "aarch64" : arch}`,
    file: `bin/bun${suffix}`,
    run: [],
  },
  {
    name: "Deno",
    version: "2.9.6",
    package: `@deno/${platform}-${arch}${platform === "linux" ? "-glibc" : ""}`,
    file: `deno${suffix}`,
    run: ["run", "--allow-all"],
  },
];

/**
 * The path of a runtime's executable, which is installed on the first run.
 * @param {{ name: string, version: string, package: string, file: string }} runtime
 */
async function provide(runtime) {
  const folder = join(root, "node_modules/.cache/nodes", `${runtime.name}-${runtime.version}`);
  const executable = join(folder, "node_modules", runtime.package, runtime.file);
  if (!existsSync(executable)) {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "package.json"), '{ "private": true }\n');
    const args = ["install", "--no-audit", "--no-fund", "--no-package-lock"];
    const { status } = spawnSync("npm", [...args, `${runtime.package}@${runtime.version}`], {
      cwd: folder,
      stdio: "inherit",
      shell: isWindows,
    });
    if (status !== 0) process.exit(status ?? 1);
  }
  const found = versionOf(executable);
  if (found !== runtime.version && !found.startsWith(`${runtime.version}.`)) {
    throw new Error(`requested ${runtime.name} ${runtime.version}, but npm installed ${found}`);
  }
  return { executable, found };
}

/**
 * `v22.1.0`, `1.4.4` and `deno 2.9.6 (stable, ...)` are the three forms.
 * @param {string} executable
 */
function versionOf(executable) {
  const { stdout } = spawnSync(executable, ["--version"], { encoding: "utf8" });
  return /\d+\.\d+\.\d+/.exec(stdout)?.[0] ?? stdout;
}

/**
 * Runs the tests on each of them.
 * @param {readonly string[]} files the ordinary tests to run; all if there are none
 */
export async function testOnRuntimes(files) {
  for (const node of nodes) {
    const { executable, found } = await provide(node);
    // Put it first on the PATH, so that tests that start `node` get this one too.
    const env = { PATH: `${dirname(executable)}${delimiter}${process.env.PATH}` };
    step(`tests on Node ${found}`, [tool.vitest, "run", ...files], { node: executable, env });
  }
  for (const { run, ...runtime } of others) {
    const { executable, found } = await provide(runtime);
    const name = `${runtime.name} ${found}`;
    const env = {
      DRAGOMAN_SUITE: "package",
      DRAGOMAN_RUNTIMES: JSON.stringify([{ name, command: [executable, ...run] }]),
    };
    step(`the package on ${name}`, [tool.vitest, "run", "test/package/runtimes"], { env });
  }
}
