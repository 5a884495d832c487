import { spawn } from "node:child_process";
import { deferred, within } from "../../../base/index.ts";
import type { Environment, Io } from "../shell/io.ts";

/** The command that runs a hub in the background. It is for Dragoman itself. */
export const HUB_COMMAND = "warm-hub";

/** A hub could not be started. The message says why. */
export class LaunchError extends Error {
  override readonly name = "LaunchError";
}

/** How long a new hub may take until it listens. */
const LAUNCH_MS = 15_000;

/** Everything else comes from the callers, with each agent. */
const HUB_VARIABLES = new Set(
  [
    ["PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "TMPDIR", "XDG_RUNTIME_DIR"],
    ["XDG_STATE_HOME", "SystemRoot", "TEMP", "TMP", "USERPROFILE", "APPDATA", "LOCALAPPDATA"],
  ].flat(),
);

/** The environment of a hub. Pure. */
export function hubEnvironment(env: Environment): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => HUB_VARIABLES.has(name)));
}

/**
 * Starts a hub in a session of its own, without any open file of this process. Resolves once the hub
 * listens (`ready`), or has given way to another (`taken`). Rejects with LaunchError.
 */
export async function launchHub(io: Io, folder: string): Promise<"ready" | "taken"> {
  const { node, dragoman } = io.self;
  const child = spawn(node, [...dragoman, HUB_COMMAND, folder], {
    cwd: folder,
    env: { ...hubEnvironment(io.env) },
    detached: true,
    windowsHide: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let problem = "";
  child.stderr.setEncoding("utf8").on("data", (piece: string) => (problem += piece));
  const report = deferred<string>();
  child.once("error", (error) => report.reject(new LaunchError(error.message)));
  child.stdout.setEncoding("utf8").once("data", (word: string) => report.resolve(word.trim()));
  child.once("close", () => report.resolve(""));
  try {
    if (!(await within(report.promise, LAUNCH_MS)))
      throw new LaunchError(`the hub did not listen after ${LAUNCH_MS / 1000} s`);
    const word = await report.promise;
    if (word === "ready" || word === "taken") return word;
    throw new LaunchError(`the hub did not start: ${problem.trim().split("\n").at(-1) ?? ""}`);
  } finally {
    child.unref();
    child.stdout.destroy();
    child.stderr.destroy();
  }
}
