import { readdir, readFile } from "node:fs/promises";

/**
 * The processes that run with this home, found by environment, which a child keeps even if it
 * leaves the process group. Linux only.
 */
export async function processesWithHome(home: string): Promise<number[]> {
  const found: number[] = [];
  for (const entry of await readdir("/proc")) {
    const pid = Number(entry);
    if (!Number.isInteger(pid)) continue;
    const environment = await readFile(`/proc/${pid}/environ`, "utf8").catch(() => "");
    if (environment.split("\0").includes(`HOME=${home}`)) found.push(pid);
  }
  return found;
}

/** Those of the processes that are Droid itself, recognized by the stream format in the command line. */
export async function droidsWithHome(home: string): Promise<number[]> {
  const found: number[] = [];
  for (const pid of await processesWithHome(home)) {
    const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
    if (command.includes("stream-jsonrpc")) found.push(pid);
  }
  return found;
}
