import { spawn, type ChildProcess } from "node:child_process";
import type { Environment } from "../io.ts";
import { sanitiseLine } from "../render/terminal/sanitise.ts";

/** Programs that are asked for their version may start something instead. */
const VERSION_MS = 5000;

/** Waits for a child's end; undefined when a signal ended it. */
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

/** The first line a program prints for `--version`; undefined if it does not answer in time. */
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
