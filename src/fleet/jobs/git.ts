import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { toError } from "../../wire/index.ts";
import { FleetError } from "../errors.ts";

const MAX_OUTPUT = 64 * 1024 * 1024;

/** Hooks of a repository would run on the worker, outside the rules of its hub. */
const SAFE = ["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"];

const run = promisify(execFile);

/** Runs git in a folder, and resolves with its stdout. Rejects with FleetError `invalid`. */
export async function git(cwd: string, args: readonly string[]): Promise<string> {
  try {
    const { stdout } = await run("git", [...SAFE, ...args], {
      cwd,
      maxBuffer: MAX_OUTPUT,
      env: {
        ...process.env,
        LC_ALL: "C",
        GIT_TERMINAL_PROMPT: "0",
        // Other transports can run commands of their own.
        GIT_ALLOW_PROTOCOL: "https:ssh",
        GIT_DIR: undefined,
        GIT_WORK_TREE: undefined,
        GIT_INDEX_FILE: undefined,
      },
    });
    return stdout;
  } catch (cause) {
    const { message } = toError(cause);
    const what = `git ${args[0] ?? ""} failed: ${message.trimEnd().split("\n").at(-1) ?? ""}`;
    throw new FleetError("invalid", what, { cause });
  }
}
