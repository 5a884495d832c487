import { delimiter, join } from "node:path";
import { isExecutable } from "../../../wire/index.ts";

/** A program and what it is given. */
export interface Words {
  readonly command: string;
  readonly args: readonly string[];
  /** On Windows: the arguments are quoted already. */
  readonly verbatim?: boolean;
}

/** A shell and its flags; the command line is added as the last word. */
export type Shell = readonly [command: string, ...flags: string[]];

/** Pure: how a shell is given a command line. */
export function throughShell(shell: Shell, line: string): Words {
  const [command, ...flags] = shell;
  return { command, args: [...flags, line] };
}

/**
 * Pure: how Windows's own shell is given a command line. It takes what stands between the outermost
 * quotes as it is, and does not know the escapes that other programs do.
 */
export function throughCmd(line: string): Words {
  return { command: "cmd.exe", args: ["/d", "/s", "/C", `"${line}"`], verbatim: true };
}

/** The shell for a command line on POSIX: a login bash where there is one, else sh. */
export async function posixShell(path: string | undefined = process.env["PATH"]): Promise<Shell> {
  for (const folder of (path ?? "/usr/bin:/bin").split(delimiter)) {
    if (folder !== "" && (await isExecutable(join(folder, "bash")))) return ["bash", "-lc"];
  }
  return ["sh", "-c"];
}

/**
 * Pure: the same command with its errors going where its output goes. One pipe keeps the order in
 * which the command wrote; two would not. The command takes the place of this sh.
 */
export function inOrder({ command, args }: Words): Words {
  return { command: "/bin/sh", args: ["-c", 'exec "$@" 2>&1', "sh", command, ...args] };
}
