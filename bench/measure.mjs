// What a consumer uses to report: CPU time and peak memory of its own process, children not counted.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { cpuUsage, platform, resourceUsage, stdout } from "node:process";
import { fileURLToPath } from "node:url";

const before = cpuUsage();
const startedAt = performance.now();

/** Prints what this process used since it was loaded, and ends it. */
export function report(extra = {}) {
  const { user, system } = cpuUsage(before);
  const result = {
    cpuMs: (user + system) / 1000,
    wallMs: performance.now() - startedAt,
    rssMb: peakRssKb() / 1024,
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

/** On Linux a process inherits the peak that `getrusage` tells from the one that started it. */
function peakRssKb() {
  if (platform !== "linux") return resourceUsage().maxRSS;
  return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync("/proc/self/status", "utf8"))[1]);
}
