import { spawn } from "node:child_process";

/**
 * Waits on a pipe that only the host holds open. When the host ends, even if it is killed, the pipe
 * ends, and the script ends the tree: its group and, on Linux, every process that carries one of its
 * marks.
 *
 * - The id of the group comes through the pipe, because this script starts before the tree.
 * - If the host is itself in a tree, the script takes off the limit that marks that tree, because it
 *   has to outlive the host. Shells differ in the name of the option.
 * - A process that keeps starting itself again is gone before `all` signals it. `chase` stops the
 *   newest process of the machine if it is one of the tree, and starts none itself.
 * - The second SIGKILL is for a process that was being forked, or replaced by `exec`, during the
 *   first.
 */
const SCRIPT = `
mark=$1
limit=\${2:-$mark}
ulimit -S -w unlimited || ulimit -S -x unlimited
read -r group && read -r _
all() {
  [ -n "$group" ] && kill -"$1" -"$group" 2>/dev/null
  for file in $(grep -las -e "$mark=" -e " $limit " /proc/[0-9]*/environ /proc/[0-9]*/limits); do
    pid=\${file#/proc/}
    kill -"$1" "\${pid%/*}" 2>/dev/null
  done
}
chase() {
  left=500
  while [ "$left" -gt 0 ] && read -r _ _ _ _ newest </proc/loadavg; do
    left=$((left - 1))
    [ -r "/proc/$newest/limits" ] && while read -r line; do
      case $line in *" $limit "*) kill -STOP "$newest" ;; esac
    done <"/proc/$newest/limits"
  done
}
all TERM
sleep 1
chase 2>/dev/null
all KILL
sleep 1
all KILL
`;

/** Guards a tree. It is opened before the tree exists, so the tree is never without a guard. */
export interface Lifeline {
  /** Passes the process group of the tree to the guard. */
  watch(group: number): void;
  cut(): void;
}

/** Ends a tree when this process ends, even if that gets SIGKILL. POSIX only. */
export function openLifeline(mark: string, limit: string | undefined): Lifeline {
  if (process.platform === "win32") return { watch: () => {}, cut: () => {} };
  const guard = spawn("/bin/sh", ["-c", SCRIPT, "lifeline", mark, limit ?? ""], {
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
