import { resolve } from "node:path";
import { isJsonObject } from "../../../wire/index.ts";
import type { ToolCallState } from "../../../acp/index.ts";
import type { RequestedWork } from "./subject.ts";

/** The targets of a request, read from its fields and never from its title or other prose. */
export interface PermissionTargets {
  /** Absolute paths without `..`. Empty if none is known. */
  readonly paths: readonly string[];
  readonly commands: readonly CommandMention[];
}

/** One command: a line for a shell, or a program with its arguments. */
export interface CommandMention {
  readonly line: string | undefined;
  readonly words: readonly string[] | undefined;
  /** The folder to run in. Undefined means the session's own folder. */
  readonly cwd: string | undefined;
}

/** A call may name thousands of paths, and each one costs a disk access. */
const MAX_TARGETS = 100;

/** The names under which agents put paths, folders and commands into their tools' input. */
const COMMAND_KEYS = ["command", "cmd"];
const PATH_KEYS = ["path", "file_path", "filePath", "filepath", "abs_path", "absolute_path"];
const CWD_KEYS = ["cwd", "workdir", "working_directory", "directory"];

/** The fields of a tool call that its targets are read from. */
export type TargetedCall = Pick<ToolCallState, "content" | "locations" | "rawInput">;

/**
 * Pure: the targets of a tool call. The paths are those of its diffs and locations; only if it has
 * neither, those of its input. Some agents send relative paths, which are resolved against `cwd`.
 */
export function targetsOf(call: TargetedCall, cwd: string): PermissionTargets {
  return {
    paths: unique(pathsOf(call).map((path) => resolve(cwd, path))),
    commands: commandsOf(call),
  };
}

/**
 * Pure: the targets that permission for a tool call covers. If the call has diffs, these are what a
 * person is shown, so permission covers their paths and no other location that the call names.
 */
export function coveredTargets(
  { content }: TargetedCall,
  targets: PermissionTargets,
  cwd: string,
): PermissionTargets {
  const diffs = content.flatMap((item) => (item.type === "diff" ? [resolve(cwd, item.path)] : []));
  return diffs.length === 0 ? targets : { ...targets, paths: unique(diffs) };
}

/** Pure: the targets of work that the agent asks the client to do. */
export function targetsOfWork(work: RequestedWork): PermissionTargets {
  switch (work.type) {
    case "read_file":
    case "write_file":
      return { paths: [work.path], commands: [] };
    case "terminal": {
      const { command, args, cwd } = work;
      const words = args.length > 0 ? [command, ...args] : undefined;
      return { paths: [], commands: [{ line: words ? undefined : command, words, cwd }] };
    }
  }
}

function pathsOf({ content, locations, rawInput }: TargetedCall): readonly string[] {
  const shown = [
    ...content.flatMap((item) => (item.type === "diff" ? [item.path] : [])),
    ...locations.map(({ path }) => path),
  ];
  return shown.length > 0 ? shown : stringsUnder(rawInput, PATH_KEYS);
}

function commandsOf({ rawInput }: TargetedCall): readonly CommandMention[] {
  if (!isJsonObject(rawInput)) return [];
  const { args } = rawInput;
  const command = COMMAND_KEYS.map((key) => rawInput[key]).find((value) => value !== undefined);
  const [cwd] = stringsUnder(rawInput, CWD_KEYS);
  if (isWords(command)) return [{ line: undefined, words: command, cwd }];
  if (typeof command !== "string" || command === "") return [];
  if (isWords(args)) return [{ line: undefined, words: [command, ...args], cwd }];
  return [{ line: command, words: undefined, cwd }];
}

const SHELL = /(?:^|[\\/])(?:ba|da|z|k)?sh$/;

/**
 * Pure: whether a terminal runs exactly the command that a tool call named: the same line, the same
 * words, or a shell with the same line.
 */
export function isSameCommand(
  target: CommandMention,
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
export function significantEnv(env: Readonly<Record<string, string>>): string {
  const entries = Object.entries(env).filter(([name]) => !HARMLESS_VARIABLE.test(name));
  return entries.length === 0
    ? ""
    : JSON.stringify(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function stringsUnder(value: unknown, keys: readonly string[]): string[] {
  if (!isJsonObject(value)) return [];
  return keys.map((key) => value[key]).filter((found) => typeof found === "string");
}

function unique(paths: readonly string[]): readonly string[] {
  return [...new Set(paths)].slice(0, MAX_TARGETS);
}

function isWords(value: unknown): value is string[] {
  return (
    Array.isArray(value) && value.length > 0 && value.every((word) => typeof word === "string")
  );
}
