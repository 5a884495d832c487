import { stat } from "node:fs/promises";
import { basename, resolve } from "node:path";
import type { SelectedAgent } from "../agents/select.ts";
import { findCommand } from "../agents/installed.ts";
import type { Environment, Io } from "../shell/io.ts";
import type { McpEntry } from "../settings/schema.ts";
import { sha256Hex } from "../settings/files.ts";
import type { WarmAgent } from "./frames.ts";

/**
 * Variables that a warm agent does not get. They describe the terminal, the shell or the agent that the
 * command line runs in, and would be wrong for the next caller. Claude Code refuses to start inside
 * itself, which it detects by the first one.
 */
const OF_ONE_CALLER = new Set(
  [
    ["CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_PORT"],
    ["CODEX_SANDBOX", "GEMINI_CLI", "QWEN_CODE", "OPENCODE"],
    ["_", "PWD", "OLDPWD", "SHLVL", "COLUMNS", "LINES", "TTY", "GPG_TTY", "WINDOWID"],
    ["TERM_SESSION_ID", "SHELL_SESSION_ID", "ITERM_SESSION_ID", "WT_SESSION", "XDG_SESSION_ID"],
    ["SSH_TTY", "SSH_CLIENT", "SSH_CONNECTION", "TMUX", "TMUX_PANE", "STY", "WINDOW"],
    ["ZELLIJ", "ZELLIJ_SESSION_NAME", "ZELLIJ_PANE_ID", "KITTY_WINDOW_ID", "KITTY_PID"],
    ["WEZTERM_PANE", "ALACRITTY_WINDOW_ID", "GNOME_TERMINAL_SCREEN", "KONSOLE_DBUS_SESSION"],
  ].flat(),
);

/** Marks the processes of an agent that another Dragoman started. */
const TREE_MARK = /^DRAGOMAN_TREE_/;

export function warmEnvironment(env: Environment): Readonly<Record<string, string>> {
  const kept = Object.entries(env).flatMap(([name, value]) =>
    value === undefined || OF_ONE_CALLER.has(name) || TREE_MARK.test(name)
      ? []
      : [[name, value] as const],
  );
  return Object.fromEntries(kept.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Whether this process was started by an agent of another Dragoman, and ends with it. Pure. */
export function isInsideAgent(env: Environment): boolean {
  return Object.keys(env).some((name) => TREE_MARK.test(name));
}

/**
 * Describes an agent to the hub; undefined if its command is not found. The key is equal for two callers only if each
 * of them would start the same program in the same way. The hub adds the capabilities of the client.
 */
export async function warmAgent(
  io: Io,
  agent: SelectedAgent,
  caller: { readonly cwd: string; readonly mcpServers: readonly McpEntry[] },
  secrets: readonly string[],
): Promise<WarmAgent | undefined> {
  const { name, command, args } = agent;
  const { cwd, mcpServers } = caller;
  const env = warmEnvironment({ ...io.env, ...agent.env });
  const executable = await findCommand(command, { ...io, env, cwd });
  if (executable === undefined) return undefined;
  const files = programFiles(command, args);
  const stamps = await Promise.all(
    [executable, ...files.map((file) => resolve(cwd, file))].map(stampOf),
  );
  const key = sha256Hex(JSON.stringify([command, args, executable, stamps, cwd, env, mcpServers]));
  return { name, key, command, args, cwd, env, secrets };
}

/** Programs whose first argument is the program proper, with a version as in `python3.12`. */
const INTERPRETER =
  /^(?:node|nodejs|bun|deno|python|pypy|ruby|perl|php|lua|tsx|ts-node|sh|bash|dash|zsh|ksh|fish|pwsh|java|uv)[\d.]*$/;
/** Options of interpreters whose value is the next argument, and may be a file that is loaded first. */
const WITH_VALUE =
  /^(?:-r|--require|--import|--loader|--experimental-loader|--preload|-C|--conditions|-W|-X|-I|--import-map|--config|--tsconfig|-cp|-classpath|--class-path|--with)$/;
/** Options whose value is the code or names a module. */
const IS_CODE = /^(?:-c|-e|-p|-m|--eval|--print|-Command)$/;
const SUBCOMMANDS: ReadonlySet<string> = new Set(["run", "x"]);

/**
 * The files among the arguments that belong to the program: the script of an interpreter, and what is loaded
 * before it. Its own arguments, such as the path of a log, may change without another program. Pure.
 */
export function programFiles(command: string, args: readonly string[]): readonly string[] {
  const name = basename(command.replaceAll("\\", "/")).replace(/\.exe$/i, "");
  if (name === "env") {
    const at = args.findIndex((arg) => !arg.startsWith("-") && !arg.includes("="));
    const inner = args[at];
    return inner === undefined ? [] : [inner, ...programFiles(inner, args.slice(at + 1))];
  }
  if (!INTERPRETER.test(name)) return [];
  const files: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (IS_CODE.test(arg)) return files;
    if (WITH_VALUE.test(arg)) files.push(args[++at] ?? "");
    else if (arg.startsWith("-")) files.push(...arg.split("=").slice(1));
    else if (!SUBCOMMANDS.has(arg) || at > 0) return [...files, arg];
  }
  return files;
}

/** Differs once a file was replaced or changed. Undefined if there is no such file. */
async function stampOf(path: string): Promise<string | undefined> {
  try {
    const found = await stat(path);
    return found.isFile() ? `${found.ino}:${found.size}:${found.mtimeMs}` : undefined;
  } catch {
    return undefined;
  }
}
