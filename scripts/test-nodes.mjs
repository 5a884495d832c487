// @ts-check
// `npm run test:nodes`: runs the ordinary tests on other Node releases. They come from npm's `node`
// package. We install its per-platform package directly, because the wrapper only runs an install
// script, which npm may block.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { root, step, tool } from "./run.mjs";

const majors = ["22", "24"];
const platform = process.platform === "win32" ? "win" : process.platform;
const runtime = `node-${platform}-${process.arch}`;

/** @param {string} major */
async function provide(major) {
  const folder = join(root, "node_modules/.cache/nodes", major);
  const file = process.platform === "win32" ? "bin/node.exe" : "bin/node";
  const node = join(folder, "node_modules", runtime, file);
  if (!existsSync(node)) {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "package.json"), '{ "private": true }\n');
    const args = ["install", "--no-audit", "--no-fund", "--no-package-lock"];
    const { status } = spawnSync("npm", [...args, `${runtime}@${major}`], {
      cwd: folder,
      stdio: "inherit",
      shell: process.platform === "win32",
    });
    if (status !== 0) process.exit(status ?? 1);
  }
  return node;
}

for (const major of majors) {
  const node = await provide(major);
  const found = spawnSync(node, ["--version"], { encoding: "utf8" }).stdout.trim();
  if (!found.startsWith(`v${major}.`))
    throw new Error(`requested Node ${major}, but npm installed ${found}`);
  // Put it first on the PATH, so that tests that start `node` get this one too.
  const env = { PATH: `${dirname(node)}${delimiter}${process.env.PATH}` };
  step(`tests on Node ${found}`, [tool.vitest, "run", ...process.argv.slice(2)], { node, env });
}
