import { basename, dirname, isAbsolute, join, parse } from "node:path";
import { isToolKind, type ToolKind } from "../../protocol/acp/index.ts";
import { canChangeCommand, isInside, type PermissionRequest, type TargetPath } from "../index.ts";
import {
  DragomanError,
  isJsonObject,
  messageOf,
  splitCommandLine,
  UnclosedQuoteError,
} from "../../base/index.ts";
import { compilePattern, PatternError } from "./glob.ts";
import { realpathSync } from "node:fs";

/** The decision of a rule. */
type RuleDecision = "allow" | "deny" | "ask";

/** One rule of a permissions file. A condition that is not set matches everything. */
export interface PermissionRule {
  /** The decision about a request that fits. */
  readonly decision: RuleDecision;
  /** The kinds of tools that it is about; undefined: all. */
  readonly kinds: ReadonlySet<ToolKind> | undefined;
  /** Whether it is about a path; undefined: it is about all. */
  readonly matchesPath: ((target: TargetPath) => boolean) | undefined;
  /** The first words of the commands that it is about; undefined: all. */
  readonly command: readonly string[] | undefined;
  /** Its position in the file, starting at 1. */
  readonly number: number;
}

export interface RuleAnswer {
  readonly decision: RuleDecision;
  readonly rule: PermissionRule;
}

/** A permissions file cannot be used. The message names the file and the field. */
export class RulesError extends DragomanError {
  override readonly name = "RulesError";

  constructor(message: string, options?: ErrorOptions) {
    super("invalid_argument", message, options);
  }
}

interface RulesBase {
  /** The folder of relative patterns. */
  readonly cwd: string;
  /** The folder of patterns that start with `~/`. */
  readonly home: string;
  readonly ignoreCase: boolean;
  /** Resolves the links of a path as far as it exists. */
  readonly resolveLinks: (path: string) => string;
}

const FIELDS = new Set(["decision", "kind", "path", "command", "comment"]);

/** Reads `{ "version": 1, "rules": [...] }`. Throws RulesError. */
export function parseRules(text: string, file: string, base: RulesBase): readonly PermissionRule[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new RulesError(`${file} is not valid JSON: ${messageOf(error)}`);
  }
  if (!isJsonObject(value)) throw new RulesError(`${file} must be an object with "rules"`);
  if (value["version"] !== 1) throw new RulesError(`${file}: version must be 1`);
  const list: unknown = value["rules"];
  if (!Array.isArray(list)) throw new RulesError(`${file}: rules must be an array`);
  const items: readonly unknown[] = list;
  return items.map((item, index) => parseRule(item, `${file}: rules[${index}]`, index + 1, base));
}

function parseRule(value: unknown, at: string, number: number, base: RulesBase): PermissionRule {
  if (!isJsonObject(value)) throw new RulesError(`${at} must be an object`);
  // A misspelled condition would make a rule match more than it was meant to.
  for (const key of Object.keys(value)) {
    if (!FIELDS.has(key))
      throw new RulesError(`${at}.${key} is not one of ${[...FIELDS].join(", ")}`);
  }
  const { decision, path } = value;
  if (decision !== "allow" && decision !== "deny" && decision !== "ask") {
    throw new RulesError(`${at}.decision must be "allow", "deny" or "ask"`);
  }
  return {
    decision,
    number,
    kinds: parseKinds(value["kind"], `${at}.kind`),
    command: parseCommand(value["command"], `${at}.command`),
    matchesPath: path === undefined ? undefined : parsePath(path, decision, `${at}.path`, base),
  };
}

function parseKinds(value: unknown, at: string): ReadonlySet<ToolKind> | undefined {
  if (value === undefined) return undefined;
  const words: readonly unknown[] = Array.isArray(value) ? value : [value];
  const kinds = new Set<ToolKind>();
  for (const word of words) {
    if (!isToolKind(word))
      throw new RulesError(`${at} has ${JSON.stringify(word)}, which is not a tool kind`);
    kinds.add(word);
  }
  if (kinds.size === 0) throw new RulesError(`${at} is empty`);
  return kinds;
}

function parseCommand(value: unknown, at: string): readonly string[] | undefined {
  if (value === undefined) return undefined;
  const words = typeof value === "string" ? simpleCommandWords(value) : undefined;
  if (words === undefined || words.length === 0) {
    throw new RulesError(`${at} must be the first words of a command, without shell operators`);
  }
  return words;
}

/**
 * Compiles the path of a rule. A rule that allows something looks at the real path of a target, so
 * that a link cannot lead elsewhere. A rule that denies or asks looks at the path as named too, and
 * also applies to everything below the paths it names.
 */
function parsePath(
  pattern: unknown,
  decision: RuleDecision,
  at: string,
  { cwd, home, ignoreCase, resolveLinks }: RulesBase,
): (target: TargetPath) => boolean {
  if (typeof pattern !== "string" || pattern === "")
    throw new RulesError(`${at} must be a pattern`);
  const isHome = pattern.startsWith("~/");
  const root = isAbsolute(pattern) ? parse(pattern).root : undefined;
  const base = isHome ? home : (root ?? cwd);
  const below = isHome ? pattern.slice(2) : pattern.slice(root?.length ?? 0);
  const options = { ignoreCase, withBelow: decision !== "allow" };
  try {
    const [folder, rest] = splitLiteral(base, below);
    const matchesReal = compilePattern(resolveLinks(folder), rest, options);
    const matchesNamed = compilePattern(base, below, options);
    return ({ path, realPath }) => {
      const isReal = realPath !== undefined && matchesReal(realPath);
      return isReal || (decision !== "allow" && matchesNamed(path));
    };
  } catch (error) {
    if (error instanceof PatternError) throw new RulesError(`${at}: ${error.message}`);
    throw error;
  }
}

/** Moves the names before the first wildcard from the pattern to its base, where links are resolved. */
function splitLiteral(base: string, pattern: string): readonly [folder: string, rest: string] {
  const names = pattern.split("/");
  const first = names.findIndex((name) => /[*?{]/.test(name) || name === "..");
  const count = first === -1 ? names.length : first;
  const literal = names.slice(0, count).filter((name) => name !== "" && name !== ".");
  const rest = names.slice(count).join("/");
  const endsInSlash = first === -1 && pattern.endsWith("/");
  return [[base.replace(/[\\/]+$/, ""), ...literal].join("/") || "/", endsInSlash ? "**" : rest];
}

/**
 * Applies the first rule that matches. A deny rule that cannot be judged (no path is known, or the
 * command has operators) does not match, but a later allow rule then asks instead.
 */
export function applyRules(
  rules: readonly PermissionRule[],
  query: RuleQuery,
): RuleAnswer | undefined {
  let doubtful = false;
  for (const rule of rules) {
    const match = matches(rule, query);
    if (match === "yes") {
      const decision = doubtful && rule.decision === "allow" ? "ask" : rule.decision;
      return { decision, rule };
    }
    if (match === "unknown" && rule.decision === "deny") doubtful = true;
  }
  return undefined;
}

type RuleMatch = "yes" | "no" | "unknown";

function matches(rule: PermissionRule, query: RuleQuery): RuleMatch {
  if (rule.kinds !== undefined && !rule.kinds.has(query.kind)) return "no";
  const parts = [matchPath(rule, query), matchCommand(rule, query)];
  if (parts.includes("no")) return "no";
  return parts.includes("unknown") ? "unknown" : "yes";
}

/** An allow rule matches only if all paths match; for the other rules one path is enough. */
function matchPath({ matchesPath, decision }: PermissionRule, query: RuleQuery): RuleMatch {
  if (matchesPath === undefined) return "yes";
  if (query.paths.length === 0) return query.kind === "execute" ? "no" : "unknown";
  if (decision === "allow")
    return query.isComplete && query.paths.every(matchesPath) ? "yes" : "no";
  if (query.paths.some(matchesPath)) return "yes";
  return query.isComplete ? "no" : "unknown";
}

/** An allow rule does not match a command whose variables can make it run something else. */
function matchCommand({ command, decision }: PermissionRule, query: RuleQuery): RuleMatch {
  if (command === undefined) return "yes";
  if (query.kind !== "execute") return "no";
  if (query.command === undefined) return "unknown";
  const words = simpleCommandWords(query.command);
  if (words === undefined) return "unknown";
  if (!command.every((word, index) => words[index] === word)) return "no";
  return decision === "allow" && query.isCommandChanged ? "no" : "yes";
}

/** Shell operators, substitution, redirection and grouping, and characters that end a line. */
const SHELL = /[;&|<>$`(){}\n\r\0]/;

/** The words of a simple command; undefined if a shell would do more than run it. */
export function simpleCommandWords(
  command: string | readonly string[],
): readonly string[] | undefined {
  if (typeof command !== "string") {
    return command.some((word) => SHELL.test(word)) ? undefined : command;
  }
  if (SHELL.test(command)) return undefined;
  try {
    return splitCommandLine(command);
  } catch (error) {
    if (error instanceof UnclosedQuoteError) return undefined;
    throw error;
  }
}

/** A permissions file, for sessions in any folder of this disk. */
export interface RulesFile {
  /** The name of the file, for messages. */
  readonly file: string;
  /** The rules for a session in this folder: relative patterns start there. */
  forFolder(cwd: string): readonly PermissionRule[];
}

/** The facts about the user and the system that the patterns of a file depend on. */
export interface RulesEnvironment {
  /** The folder of patterns that start with `~/`. */
  readonly home: string;
  /** The platform, as Node names it. */
  readonly platform: string;
}

/** Reads the text of a permissions file. Throws RulesError. */
export function readRules(
  text: string,
  file: string,
  { home, platform }: RulesEnvironment,
): RulesFile {
  const ignoreCase = platform === "darwin" || platform === "win32";
  const forFolder = (cwd: string): readonly PermissionRule[] =>
    parseRules(text, file, { cwd, home, ignoreCase, resolveLinks });
  // Finds mistakes now, instead of when the first session starts.
  forFolder(home);
  return { file, forFolder };
}

/** The real path of the deepest folder that exists, and the rest as it is. */
function resolveLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(resolveLinks(parent), basename(path));
  }
}

/** The facts about a request that the rules and flags judge it by. */
export interface RuleQuery {
  readonly kind: ToolKind;
  /** Empty if no path is known. */
  readonly paths: readonly TargetPath[];
  /** A line for a shell, or a command with its arguments; undefined if none is known. */
  readonly command: string | readonly string[] | undefined;
  /** Whether variables that are set for the command can change what it runs. */
  readonly isCommandChanged: boolean;
  /** Whether all paths are inside the session's roots. */
  readonly isInside: boolean;
  /** False if the request names more paths than are known here. */
  readonly isComplete: boolean;
}

/** The query of a request. Only a tool that executes something counts as running its command. */
export function queryOf({ kind, targets }: Pick<PermissionRequest, "kind" | "targets">): RuleQuery {
  const [command] = kind === "execute" ? targets.commands : [];
  return {
    kind,
    paths: targets.paths,
    command: command?.words ?? command?.line,
    isCommandChanged: command !== undefined && canChangeCommand(command),
    isInside: isInside(targets),
    isComplete: targets.isComplete,
  };
}

/** A command for people to read. */
export function showCommand(command: string | readonly string[]): string {
  if (typeof command === "string") return command;
  return command
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word)))
    .join(" ");
}

/** Describes a request in a few words, without the agent's own title. */
export function describeRuleQuery(query: RuleQuery): string {
  if (query.command !== undefined) return `run ${showCommand(query.command)}`;
  const [path, ...more] = query.paths;
  const where =
    path === undefined ? "" : ` ${path.path}${more.length > 0 ? ` and ${more.length} more` : ""}`;
  return `${query.kind}${where}`;
}
