// @ts-check
// `npm run test:nodes`: the ordinary test pass under other Node releases. They come from npm's
// `node` package; its per-platform part is installed directly, because the wrapper's only work is
// an install script, which npm may block.
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
  if (!found.startsWith(`v${major}.`)) throw new Error(`asked for Node ${major}, got ${found}`);
  // First on the PATH, so that what the tests start by the name `node` is this one too.
  const env = { PATH: `${dirname(node)}${delimiter}${process.env.PATH}` };
  step(`tests on Node ${found}`, [tool.vitest, "run", ...process.argv.slice(2)], { node, env });
}
