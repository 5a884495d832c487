import { isExecutable, type CommandWords, type Shell } from "./spawn.ts";
import { delimiter, join } from "node:path";

/** Pure: the command that runs a command line in a shell. */
export function shellCommand(shell: Shell, line: string): CommandWords {
  const [command, ...flags] = shell;
  return { command, args: [...flags, line] };
}

/**
 * Pure: the command that runs a command line in the Windows shell. `cmd.exe` takes everything between
 * the outermost quotes literally, and does not know the escapes that other programs use.
 */
export function windowsShellCommand(line: string): CommandWords {
  return { command: "cmd.exe", args: ["/d", "/s", "/C", `"${line}"`], verbatim: true };
}

/** The shell for a command line on POSIX: a login bash if there is one, otherwise sh. */
export async function posixShell(path: string | undefined = process.env["PATH"]): Promise<Shell> {
  for (const folder of (path ?? "/usr/bin:/bin").split(delimiter)) {
    if (folder !== "" && (await isExecutable(join(folder, "bash")))) return ["bash", "-lc"];
  }
  return ["sh", "-c"];
}

/**
 * Pure: the same command with stderr redirected to stdout. One pipe keeps the order in which the
 * command wrote; two would not. The command replaces this `sh`.
 */
export function withMergedOutput({ command, args }: CommandWords): CommandWords {
  return { command: "/bin/sh", args: ["-c", 'exec "$@" 2>&1', "sh", command, ...args] };
}
