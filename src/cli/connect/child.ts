import { spawn, type ChildProcess } from "node:child_process";
import type { Environment } from "../io.ts";
import { sanitiseLine } from "../render/terminal/sanitise.ts";

/** The time limit for `--version`. A program may ignore it and start something else. */
const VERSION_MS = 5000;

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

/** The first line that a program prints for `--version`; undefined if it fails or takes too long. */
export async function versionOf(path: string, env: Environment): Promise<string | undefined> {
  let out = "";
  try {
    const child = spawn(path, ["--version"], {
      env: { ...env },
      stdio: ["ignore", "pipe", "ignore"],
      timeout: VERSION_MS,
      killSignal: "SIGKILL",
    });
    const code = await runChild(child, {
      stdout: (text) => {
        if (out.length < 1000) out += text;
      },
      stderr: () => {},
    });
    if (code !== 0) return undefined;
  } catch {
    return undefined;
  }
  const line = sanitiseLine(out.trim().split("\n")[0] ?? "");
  return line === "" ? undefined : line;
}
