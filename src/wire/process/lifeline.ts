import { spawn } from "node:child_process";

/**
 * Waits on a pipe that only the host holds open. When the host ends, even if it is killed, the pipe
 * ends, and the script ends the tree: its group and, on Linux, every process that carries its mark.
 * The id of the group comes through the pipe, because this script starts before the tree. The second
 * SIGKILL is for a process that was being forked, or replaced by `exec`, during the first.
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

/** Guards a tree. It is opened before the tree exists, so the tree is never without a guard. */
export interface Lifeline {
  /** Passes the process group of the tree to the guard. */
  watch(group: number): void;
  /** Stops guarding the tree. */
  cut(): void;
}

/**
 * Makes sure that a tree does not outlive this process, even if this process gets SIGKILL. POSIX
 * only.
 */
export function openLifeline(mark: string): Lifeline {
  if (process.platform === "win32") return { watch: () => {}, cut: () => {} };
  const guard = spawn("/bin/sh", ["-c", SCRIPT, "lifeline", mark], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
    env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin" },
  });
  // Without a shell there is no lifeline, but the channel still works.
  guard.on("error", () => {});
  guard.stdin.on("error", () => {});
  guard.unref();
  if ("unref" in guard.stdin && typeof guard.stdin.unref === "function") guard.stdin.unref();
  return {
    watch: (group) => void guard.stdin.write(`${group}\n`),
    cut: () => {
      guard.kill("SIGKILL");
      guard.stdin.destroy();
    },
  };
}
