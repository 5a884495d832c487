import { readdir, readFile } from "node:fs/promises";

/** The processes that run with this home: a child keeps its environment when it leaves the process group. Linux only. */
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

/** The processes of Droid itself among them: their command line has the stream format in it. */
export async function droidsWithHome(home: string): Promise<number[]> {
  const found: number[] = [];
  for (const pid of await processesWithHome(home)) {
    const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
    if (command.includes("stream-jsonrpc")) found.push(pid);
  }
  return found;
}
