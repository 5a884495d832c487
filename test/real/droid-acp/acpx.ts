import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const ACPX = "0.19.1";
/** acpx needs Node 22.13 or newer. npm has builds of Node as packages. */
const NODE_MAJOR = "22";

const run = promisify(execFile);
const folder = fileURLToPath(
  new URL("../../../node_modules/.cache/droid-acp-acpx/", import.meta.url),
);
const runtime = `node-${process.platform}-${process.arch}`;

/** Why acpx is not tested, or undefined if it is. */
export function acpxUnavailable(): string | undefined {
  return process.env["DRAGOMAN_ACPX"] === "1" ? undefined : "DRAGOMAN_ACPX=1 turns it on";
}

/** The paths of acpx and of the Node that runs it. Installs them first if they are missing. */
export async function ensureAcpx(): Promise<{ readonly node: string; readonly acpx: string }> {
  const node = join(folder, "node_modules", runtime, "bin", "node");
  const acpx = join(folder, "node_modules", "acpx", "dist", "cli.js");
  if (!existsSync(node) || !existsSync(acpx)) {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "package.json"), '{ "private": true }\n');
    const options = ["--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts", "--force"];
    const packages = [`acpx@${ACPX}`, `${runtime}@${NODE_MAJOR}`];
    await run("npm", ["install", ...options, ...packages], { cwd: folder, timeout: 500_000 });
  }
  return { node, acpx };
}
