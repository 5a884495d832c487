import { readdirSync, readFileSync } from "node:fs";

/** Whether a process is running. A zombie is not. */
export function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return !/^\) [ZX]/.test(stat.slice(stat.lastIndexOf(")")));
  } catch {
    return false;
  }
}

/** The running processes that have this word among their arguments. */
export function withArgument(word: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").includes(word);
      } catch {
        return false;
      }
    })
    .filter(isAlive);
}

/** Waits until no process is left. These are not our children, so they have to be polled. */
export async function untilNone(look: () => readonly number[], ms = 10_000): Promise<void> {
  const deadline = Date.now() + ms;
  for (let left = look(); left.length > 0; left = look()) {
    if (Date.now() > deadline) throw new Error(`still alive: ${left.join(", ")}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export function kill(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has already exited.
    }
  }
}
