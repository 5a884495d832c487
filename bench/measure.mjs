// Helpers with which a consumer reports the CPU time and peak memory of its own process, without its
// children.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { cpuUsage, platform, resourceUsage, stdout } from "node:process";
import { fileURLToPath } from "node:url";

const before = cpuUsage();
const startedAt = performance.now();

/** Prints what this process has used since this module was loaded, and exits. */
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

/** Starts a producer with a plain spawn. */
export const start = (name, ...args) =>
  spawn(process.execPath, [producer(name), ...args.map(String)], {
    stdio: ["pipe", "pipe", "inherit"],
  });

/** On Linux, the peak from `getrusage` includes that of the parent, which the process inherits. */
function peakRssKb() {
  if (platform !== "linux") return resourceUsage().maxRSS;
  return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync("/proc/self/status", "utf8"))[1]);
}
