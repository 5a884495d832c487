// What a consumer uses to report: CPU time and peak memory of its own process, children not counted.
import { cpuUsage, resourceUsage, stdout } from "node:process";
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const before = cpuUsage();
const startedAt = performance.now();

/** Prints what this process used since it was loaded, and ends it. */
export function report(extra = {}) {
  const { user, system } = cpuUsage(before);
  const result = {
    cpuMs: (user + system) / 1000,
    wallMs: performance.now() - startedAt,
    rssMb: resourceUsage().maxRSS / 1024,
    ...extra,
  };
  stdout.write(`${JSON.stringify(result)}\n`, () => process.exit(0));
}

export const producer = (name) => fileURLToPath(new URL(`producers/${name}.mjs`, import.meta.url));

/** Starts a producer the plain way. */
export const start = (name, ...args) =>
  spawn(process.execPath, [producer(name), ...args.map(String)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
