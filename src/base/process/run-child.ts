import type { ChildProcess } from "node:child_process";

/** Waits until a child process ends. Resolves with its exit code; undefined if a signal ended it. */
export function runChild(
  child: ChildProcess,
  sinks: { readonly stdout: (text: string) => void; readonly stderr: (text: string) => void },
): Promise<number | undefined> {
  child.stdout?.setEncoding("utf8").on("data", sinks.stdout);
  child.stderr?.setEncoding("utf8").on("data", sinks.stderr);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve(code ?? undefined));
  });
}
