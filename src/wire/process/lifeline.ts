import { spawn } from "node:child_process";

/**
 * Waits on a pipe that only the host holds open. When the host dies, in whatever way, the pipe
 * ends and the tree is ended: its group, and on Linux every process that carries its mark. The
 * group's id comes through the pipe, because the keeper is there before the tree. The second kill is
 * for a process that was being born, or replaced by another, during the first.
 */
const SCRIPT = `
read -r group && read -r _
all() {
  [ -n "$group" ] && kill -"$1" -"$group" 2>/dev/null
  for file in /proc/[0-9]*/environ; do
    pid=\${file#/proc/}
    pid=\${pid%/environ}
    grep -qa "$mark=" "$file" 2>/dev/null && kill -"$1" "$pid" 2>/dev/null
  done
}
mark=$1
all TERM
sleep 1
all KILL
sleep 1
all KILL
`;

/** Watches over a tree that does not exist yet, so that there is no moment in which nobody does. */
export interface Lifeline {
  /** Tells the keeper the group of the tree. */
  watch(group: number): void;
  /** The tree is not watched over any more. */
  cut(): void;
}

/** Makes sure a tree does not outlive this process, even if this process is killed with -9. POSIX only. */
export function openLifeline(mark: string): Lifeline {
  if (process.platform === "win32") return { watch: () => {}, cut: () => {} };
  const keeper = spawn("/bin/sh", ["-c", SCRIPT, "lifeline", mark], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
    env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin" },
  });
  // Without a shell there is no lifeline; the channel works all the same.
  keeper.on("error", () => {});
  keeper.stdin.on("error", () => {});
  keeper.unref();
  if ("unref" in keeper.stdin && typeof keeper.stdin.unref === "function") keeper.stdin.unref();
  return {
    watch: (group) => void keeper.stdin.write(`${group}\n`),
    cut: () => {
      keeper.kill("SIGKILL");
      keeper.stdin.destroy();
    },
  };
}
