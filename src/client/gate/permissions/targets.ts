import { resolvePath } from "../../paths.ts";
import { isJsonObject } from "../../../base/index.ts";
import type { ToolCallState, ToolKind } from "../../../protocol/acp/index.ts";
import type { Signals, Workspace } from "../workspace/virtual-workspace.ts";

/** The exact work to decide about. All links in its paths are resolved. */
export type PermissionSubject =
  /** The agent asks about a tool call. See `toolCall`. */
  | { readonly type: "tool_call" }
  | {
      readonly type: "read_file";
      readonly path: string;
    }
  | {
      readonly type: "write_file";
      readonly path: string;
      readonly content: string;
    }
  | {
      readonly type: "terminal";
      /** A program if there are arguments, otherwise a whole command line. */
      readonly command: string;
      /** The arguments of the program. */
      readonly args: readonly string[];
      readonly cwd: string;
      /** The variables that the agent sets for the command. */
      readonly env: Readonly<Record<string, string>>;
    };

/** Work that an agent asks the client to do. */
export type RequestedWork = Exclude<PermissionSubject, { readonly type: "tool_call" }>;

/** A path that a request works on. */
export interface TargetPath {
  /** The path as the request names it, made absolute. */
  readonly path: string;
  /** The path with all links resolved: where the work would happen. Undefined if that is unknown. */
  readonly realPath: string | undefined;
  /** Whether the real path lies inside the session's roots. */
  readonly isInside: boolean;
}

/** A command that a request runs: a line for a shell, or a program with its arguments. */
export interface TargetCommand {
  /** The line for a shell; undefined if `words` is set. */
  readonly line: string | undefined;
  /** The program and its arguments; undefined if `line` is set. */
  readonly words: readonly string[] | undefined;
  readonly cwd: TargetPath;
  /** The variables that are set for it. */
  readonly env: Readonly<Record<string, string>>;
}

/** The targets of a request, read from its fields and never from its title or other prose. */
export interface PermissionTargets {
  /** The paths that the request names. */
  readonly paths: readonly TargetPath[];
  /** The commands that the request names. */
  readonly commands: readonly TargetCommand[];
  /** False if the request names more paths than are listed here. */
  readonly isComplete: boolean;
}

interface CommandMention {
  readonly line: string | undefined;
  readonly words: readonly string[] | undefined;
  /** The folder to run in. Undefined means the session's own folder. */
  readonly cwd: string | undefined;
  readonly env: Readonly<Record<string, string>>;
}

/** The targets of a tool call as it names them, before links are resolved. */
export interface Mentions {
  /** Absolute paths without `..`. */
  readonly paths: readonly string[];
  readonly commands: readonly CommandMention[];
  readonly isComplete: boolean;
}

/** A command, the real path of its folder, and the environment variables that may change it. */
export interface LocatedCommand extends Pick<TargetCommand, "line" | "words"> {
  readonly cwd: string;
  readonly env: string;
}

/** The targets of some work, with all links in their paths resolved. */
export interface LocatedTargets {
  readonly kind: ToolKind;
  readonly paths: readonly string[];
  readonly commands: readonly LocatedCommand[];
  /** Whether every path that the request names is inside the session's roots. */
  readonly isInside: boolean;
  /** False if the request names more paths than these. */
  readonly isComplete: boolean;
}

/** A call may name thousands of paths, and each one costs a disk access. */
const MAX_TARGETS = 100;

/** The names under which agents put paths, folders and commands into their tools' input. */
const COMMAND_KEYS = ["command", "cmd"];
const PATH_KEYS = ["path", "file_path", "filePath", "filepath", "abs_path", "absolute_path"];
const CWD_KEYS = ["cwd", "workdir", "working_directory", "directory"];

type TargetedCall = Pick<ToolCallState, "content" | "locations" | "rawInput">;

/**
 * Pure: the targets that a tool call names. The paths are those of its diffs and locations; only if
 * it has neither, those of its input. Some agents send relative paths, which are resolved against
 * `cwd`.
 */
export function mentionsOf(call: TargetedCall, cwd: string): Mentions {
  const { locations, rawInput } = call;
  const shown = [...diffPathsOf(call, cwd), ...locations.map(({ path }) => resolvePath(cwd, path))];
  const all = shown.length > 0 ? shown : stringsUnder(rawInput, PATH_KEYS);
  const paths = [...new Set(all.map((path) => resolvePath(cwd, path)))];
  return {
    paths: paths.slice(0, MAX_TARGETS),
    commands: commandsOf(rawInput),
    isComplete: paths.length <= MAX_TARGETS,
  };
}

function diffPathsOf({ content }: Pick<TargetedCall, "content">, cwd: string): string[] {
  return content.flatMap((item) => (item.type === "diff" ? [resolvePath(cwd, item.path)] : []));
}

function commandsOf(rawInput: unknown): readonly CommandMention[] {
  if (!isJsonObject(rawInput)) return [];
  const { args } = rawInput;
  const command = COMMAND_KEYS.map((key) => rawInput[key]).find((value) => value !== undefined);
  const [cwd] = stringsUnder(rawInput, CWD_KEYS);
  const env = variablesOf(rawInput["env"]);
  if (isWords(command)) return [{ line: undefined, words: command, cwd, env }];
  if (typeof command !== "string" || command === "") return [];
  if (isWords(args)) return [{ line: undefined, words: [command, ...args], cwd, env }];
  return [{ line: command, words: undefined, cwd, env }];
}

/** Variables as a map of names to values, or as a list of `{ name, value }`. */
function variablesOf(env: unknown): Readonly<Record<string, string>> {
  const entries: readonly (readonly [unknown, unknown])[] = Array.isArray(env)
    ? env.map((entry) => (isJsonObject(entry) ? [entry["name"], entry["value"]] : [entry, ""]))
    : Object.entries(isJsonObject(env) ? env : {});
  return Object.fromEntries(
    entries.map(([name, value]) => [
      String(name),
      typeof value === "string" ? value : (JSON.stringify(value) ?? ""),
    ]),
  );
}

const SHELL = /(?:^|[\\/])(?:ba|da|z|k)?sh$/;

/**
 * Pure: whether a terminal runs exactly the command that a tool call named: the same line, the same
 * words, or a shell with the same line.
 */
export function isSameCommand(
  target: Pick<TargetCommand, "line" | "words">,
  command: string,
  args: readonly string[],
): boolean {
  if (target.words) {
    const words = [command, ...args];
    return (
      words.length === target.words.length && words.every((word, i) => word === target.words?.[i])
    );
  }
  if (args.length === 0) return command === target.line;
  const [flag, line] = args;
  const isShell = SHELL.test(command) && (flag === "-c" || flag === "-lc");
  return isShell && args.length === 2 && line === target.line;
}

/**
 * Variables that cannot change what an allowed command does. All others can: they may decide which
 * program a name refers to, which code is loaded into it, or which code a shell runs first.
 */
const HARMLESS_VARIABLE =
  /^(?:CI|CLAUDECODE|COLUMNS|FORCE_COLOR|GIT_TERMINAL_PROMPT|LANG|LC_[A-Z]+|LINES|NO_COLOR|TERM|TZ)$/;

/** Pure: the variables that may change an allowed command, as text to compare. May be empty. */
function significantEnv(env: Readonly<Record<string, string>>): string {
  const entries = Object.entries(env).filter(([name]) => !HARMLESS_VARIABLE.test(name));
  return entries.length === 0
    ? ""
    : JSON.stringify(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Pure: whether the variables of a command can change what it runs. */
export function canChangeCommand({ env }: Pick<TargetCommand, "env">): boolean {
  return significantEnv(env) !== "";
}

function stringsUnder(value: unknown, keys: readonly string[]): string[] {
  if (!isJsonObject(value)) return [];
  return keys.map((key) => value[key]).filter((found) => typeof found === "string");
}

function isWords(value: unknown): value is string[] {
  return (
    Array.isArray(value) && value.length > 0 && value.every((word) => typeof word === "string")
  );
}

/** Resolves the links of every target that a tool call names. Never rejects. */
export async function locateMentions(
  workspace: Workspace,
  mentions: Mentions,
  root: string,
  signals: Signals,
): Promise<PermissionTargets> {
  const paths: TargetPath[] = [];
  for (const path of mentions.paths) paths.push(await locatePath(workspace, path, signals));
  const commands: TargetCommand[] = [];
  for (const { line, words, cwd, env } of mentions.commands) {
    commands.push({ line, words, env, cwd: await locatePath(workspace, cwd ?? root, signals) });
  }
  return { paths, commands, isComplete: mentions.isComplete };
}

async function locatePath(
  workspace: Workspace,
  path: string,
  signals: Signals,
): Promise<TargetPath> {
  try {
    return { path, ...(await workspace.whereIs(path, signals)) };
  } catch {
    return { path, realPath: undefined, isInside: false };
  }
}

/** Pure: the targets of work that the agent asks the client to do. The jail has let them through. */
export function targetsOfWork(work: RequestedWork): PermissionTargets {
  const inside = (path: string): TargetPath => ({ path, realPath: path, isInside: true });
  switch (work.type) {
    case "read_file":
    case "write_file":
      return { paths: [inside(work.path)], commands: [], isComplete: true };
    case "terminal": {
      const { command, args, env } = work;
      const words = args.length > 0 ? [command, ...args] : undefined;
      const target = { line: words ? undefined : command, words, cwd: inside(work.cwd), env };
      return { paths: [], commands: [target], isComplete: true };
    }
  }
}

/** The tool kind that requested work counts as. */
export const WORK_KINDS: Readonly<Record<RequestedWork["type"], ToolKind>> = {
  read_file: "read",
  write_file: "edit",
  terminal: "execute",
};

/**
 * Pure: the targets that permission covers, which are a part of the targets that a person is shown.
 * Diffs show what will change, so if a tool call has some, permission covers their paths and no other
 * path that the call names. Only a call that executes something covers its command.
 */
export function coveredTargets(
  kind: ToolKind,
  targets: PermissionTargets,
  toolCall: Pick<ToolCallState, "content"> | undefined,
  root: string,
): LocatedTargets {
  const diffs = new Set(toolCall === undefined ? [] : diffPathsOf(toolCall, root));
  const paths = targets.paths.filter(({ path }) => diffs.size === 0 || diffs.has(path));
  const commands = kind === "execute" ? targets.commands : [];
  return {
    kind,
    paths: paths.map(comparable),
    commands: commands.map(locatedCommand),
    isInside: isInside(targets),
    isComplete: targets.isComplete,
  };
}

/** Pure: whether every path of a request, the folders of its commands included, is inside the roots. */
export function isInside({ paths, commands }: PermissionTargets): boolean {
  return [...paths, ...commands.map(({ cwd }) => cwd)].every((target) => target.isInside);
}

function locatedCommand({ line, words, cwd, env }: TargetCommand): LocatedCommand {
  return { line, words, cwd: comparable(cwd), env: significantEnv(env) };
}

/** A path that cannot be resolved gets a name that no real path has. */
function comparable({ path, realPath }: TargetPath): string {
  return realPath ?? `\0${path}`;
}
