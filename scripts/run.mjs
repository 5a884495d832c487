// @ts-check
import { spawnSync } from "node:child_process";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

export const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");

/** Tools are started by path, with one Node, so that no shim or PATH selects another version. */
export const tool = {
  tsc: "node_modules/typescript/bin/tsc",
  oxlint: "node_modules/oxlint/bin/oxlint",
  oxfmt: "node_modules/oxfmt/bin/oxfmt",
  knip: "node_modules/knip/bin/knip.js",
  vitest: "node_modules/vitest/vitest.mjs",
};

/**
 * Runs a script and passes its output through. If it fails, this process exits with its exit code.
 * @param {string} title
 * @param {string[]} args
 * @param {{ node?: string, env?: NodeJS.ProcessEnv }} [options]
 */
export function step(title, args, { node = process.execPath, env = {} } = {}) {
  console.log(`\n== ${title}`);
  const started = performance.now();
  const { status, error } = spawnSync(node, args, {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, ...env },
  });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  if (status !== 0) {
    console.error(`== ${title}: failed after ${seconds} s${error ? ` (${error.message})` : ""}`);
    process.exit(status ?? 1);
  }
  return seconds;
}

/**
 * Parses the arguments of a tool that needs at least one. Prints the usage and exits on `--help`, if no
 * argument is given, or if an option is unknown.
 * @param {string} usage
 * @param {import("node:util").ParseArgsConfig["options"]} options
 * @returns {{ values: Record<string, any>, positionals: string[] }}
 */
export function parseOrUsage(usage, options) {
  try {
    const help = /** @type {const} */ ({ type: "boolean", short: "h" });
    const parsed = parseArgs({ allowPositionals: true, options: { ...options, help } });
    if (parsed.values["help"]) {
      console.log(usage);
      process.exit(0);
    }
    if (parsed.positionals.length > 0) return parsed;
  } catch (error) {
    printFailure(error);
  }
  console.error(usage);
  process.exit(2);
}

/**
 * Prints the message of an error. Its stack would point into bundled code.
 * @param {unknown} error
 */
export function printFailure(error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
