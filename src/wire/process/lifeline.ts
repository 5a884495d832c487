import { spawn } from "node:child_process";
import { TREE_MARK, type Tree } from "./tree.ts";

/**
 * Waits on a pipe that only the host holds open. When the host dies, in whatever way, the pipe
 * ends and the tree is ended: its group, and on Linux every process that carries its mark.
 */
const SCRIPT = `
read -r _
marked() {
  for file in /proc/[0-9]*/environ; do
    pid=\${file#/proc/}
    pid=\${pid%/environ}
    grep -qa "$2=$3" "$file" 2>/dev/null && kill -"$1" "$pid" 2>/dev/null
  done
}
kill -TERM -"$1" 2>/dev/null
marked TERM "$2" "$3"
sleep 1
kill -KILL -"$1" 2>/dev/null
marked KILL "$2" "$3"
`;

/** Cuts the lifeline: the tree is not watched over any more. */
export type CutLifeline = () => void;

/** Makes sure a tree does not outlive this process, even if this process is killed with -9. POSIX only. */
export function attachLifeline(tree: Tree): CutLifeline {
  if (process.platform === "win32") return () => {};
  const keeper = spawn(
    "/bin/sh",
    ["-c", SCRIPT, "lifeline", String(tree.pid), TREE_MARK, tree.mark],
    {
      stdio: ["pipe", "ignore", "ignore"],
      detached: true,
      env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin" },
    },
  );
  // Without a shell there is no lifeline; the channel works all the same.
  keeper.on("error", () => {});
  keeper.stdin.on("error", () => {});
  keeper.unref();
  if ("unref" in keeper.stdin && typeof keeper.stdin.unref === "function") keeper.stdin.unref();
  return () => {
    keeper.kill("SIGKILL");
    keeper.stdin.destroy();
  };
}
