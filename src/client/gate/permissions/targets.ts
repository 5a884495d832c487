import { resolve } from "node:path";
import { isJsonObject } from "../../../wire/index.ts";
import type { ToolCallState } from "../../../acp/index.ts";

/** What a tool call says it works on, read from its fields and never from its title or other prose. */
export interface ToolCallTargets {
  readonly paths: readonly string[];
  readonly commands: readonly CommandMention[];
}

/** One command: a line for a shell, or a program with its arguments. */
export interface CommandMention {
  readonly line: string | undefined;
  readonly words: readonly string[] | undefined;
  /** Where it is to run; undefined is the session's own folder. */
  readonly cwd: string | undefined;
}

/** A call may name thousands; each one costs a look at the disk. */
const MAX_TARGETS = 100;

/** How the agents of the field spell it in their tools' input. */
const PATH_KEYS = ["path", "file_path", "filePath", "filepath", "abs_path", "absolute_path"];
const CWD_KEYS = ["cwd", "workdir", "working_directory", "directory"];

/**
 * Pure: the targets of a tool call. The paths of its diffs if it has any, because those are what is
 * shown to a person; else its locations; else its input. Relative ones are taken from `cwd`: some
 * agents send them.
 */
export function targetsOf(call: ToolCallState, cwd: string): ToolCallTargets {
  return { paths: pathsOf(call).map((path) => resolve(cwd, path)), commands: commandsOf(call) };
}

function pathsOf(call: ToolCallState): readonly string[] {
  const diffs = call.content.flatMap((item) => (item.type === "diff" ? [item.path] : []));
  if (diffs.length > 0) return unique(diffs);
  const locations = call.locations.map((location) => location.path);
  if (locations.length > 0) return unique(locations);
  return unique(stringsUnder(call.rawInput, PATH_KEYS));
}

function commandsOf({ rawInput }: ToolCallState): readonly CommandMention[] {
  if (!isJsonObject(rawInput)) return [];
  const { command, args } = rawInput;
  const [cwd] = stringsUnder(rawInput, CWD_KEYS);
  if (isWords(command)) return [{ line: undefined, words: command, cwd }];
  if (typeof command !== "string") return [];
  if (isWords(args)) return [{ line: undefined, words: [command, ...args], cwd }];
  return [{ line: command, words: undefined, cwd }];
}

const SHELL = /(?:^|[\\/])(?:ba|da|z|k)?sh$/;

/**
 * Pure: whether a terminal runs exactly a command that a tool call named: the same line, the same
 * words, or a shell that is given the same line.
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
 * Variables that cannot change what an allowed command does. All others can: which program a name
 * stands for, what is loaded into it, what a shell runs first.
 */
const HARMLESS_VARIABLE =
  /^(?:CI|CLAUDECODE|COLUMNS|FORCE_COLOR|GIT_TERMINAL_PROMPT|LANG|LC_[A-Z]+|LINES|NO_COLOR|TERM|TZ)$/;

/** Pure: what of an environment may change an allowed command, as text to compare; else empty. */
export function weightOfEnv(env: Readonly<Record<string, string>>): string {
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
