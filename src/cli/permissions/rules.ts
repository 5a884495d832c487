import { isAbsolute, join } from "node:path";
import { isToolKind, type ToolKind } from "../../acp/index.ts";
import { isJsonObject } from "../../wire/index.ts";
import { splitCommandLine } from "../agents/command-line.ts";
import { CliError, usageError } from "../exit.ts";
import { messageOf } from "../io.ts";
import { globTest } from "./glob.ts";
import type { Query } from "./rule-query.ts";

export type RuleDecision = "allow" | "deny" | "ask";

/** One rule of a permissions file. A condition that is not set matches everything. */
export interface PermissionRule {
  readonly decision: RuleDecision;
  readonly kinds: ReadonlySet<ToolKind> | undefined;
  readonly path: { readonly pattern: string; readonly test: (path: string) => boolean } | undefined;
  readonly command: readonly string[] | undefined;
  /** Its position in the file, starting at 1. */
  readonly number: number;
}

export interface RuleAnswer {
  readonly decision: RuleDecision;
  readonly rule: PermissionRule;
}

interface Base {
  readonly cwd: string;
  readonly home: string;
  readonly ignoreCase: boolean;
}

const FIELDS = new Set(["decision", "kind", "path", "command", "comment"]);

/** Reads `{ "version": 1, "rules": [...] }`. Throws a usage error that names the file and the field. */
export function parseRules(text: string, file: string, base: Base): readonly PermissionRule[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw usageError(`${file} is not valid JSON: ${messageOf(error)}`);
  }
  if (!isJsonObject(value)) throw usageError(`${file} must be an object with "rules"`);
  if (value["version"] !== 1) throw usageError(`${file}: version must be 1`);
  const list: unknown = value["rules"];
  if (!Array.isArray(list)) throw usageError(`${file}: rules must be an array`);
  const items: readonly unknown[] = list;
  return items.map((item, index) => parseRule(item, `${file}: rules[${index}]`, index + 1, base));
}

function parseRule(value: unknown, at: string, number: number, base: Base): PermissionRule {
  if (!isJsonObject(value)) throw usageError(`${at} must be an object`);
  // A misspelt condition would make a rule match more than it was meant to.
  for (const key of Object.keys(value)) {
    if (!FIELDS.has(key)) throw usageError(`${at}.${key} is not one of ${[...FIELDS].join(", ")}`);
  }
  const { decision, path } = value;
  if (decision !== "allow" && decision !== "deny" && decision !== "ask") {
    throw usageError(`${at}.decision must be "allow", "deny" or "ask"`);
  }
  if (path !== undefined && (typeof path !== "string" || path === "")) {
    throw usageError(`${at}.path must be a pattern`);
  }
  return {
    decision,
    number,
    kinds: parseKinds(value["kind"], `${at}.kind`),
    command: parseCommand(value["command"], `${at}.command`),
    path:
      path === undefined
        ? undefined
        : { pattern: path, test: globTest(absolutePattern(path, base), base.ignoreCase) },
  };
}

function parseKinds(value: unknown, at: string): ReadonlySet<ToolKind> | undefined {
  if (value === undefined) return undefined;
  const words: readonly unknown[] = Array.isArray(value) ? value : [value];
  const kinds = new Set<ToolKind>();
  for (const word of words) {
    if (!isToolKind(word))
      throw usageError(`${at} has ${JSON.stringify(word)}, which is not a tool kind`);
    kinds.add(word);
  }
  if (kinds.size === 0) throw usageError(`${at} is empty`);
  return kinds;
}

function parseCommand(value: unknown, at: string): readonly string[] | undefined {
  if (value === undefined) return undefined;
  const words = typeof value === "string" ? wordsOf(value) : undefined;
  if (words === undefined || words.length === 0) {
    throw usageError(`${at} must be the first words of a command, without shell operators`);
  }
  return words;
}

function absolutePattern(pattern: string, { cwd, home }: Base): string {
  if (pattern.startsWith("~/")) return join(home, pattern.slice(2)).replaceAll("\\", "/");
  if (isAbsolute(pattern)) return pattern;
  return `${cwd.replaceAll("\\", "/")}/${pattern.replace(/^\.\//, "")}`;
}

/**
 * Applies the first rule that matches. A deny rule that cannot be judged (no path is known, or the
 * command has operators) does not match, but a later allow rule then asks instead.
 */
export function applyRules(rules: readonly PermissionRule[], query: Query): RuleAnswer | undefined {
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

function matches(rule: PermissionRule, query: Query): RuleMatch {
  if (rule.kinds !== undefined && !rule.kinds.has(query.kind)) return "no";
  const parts = [matchesPath(rule, query), matchesCommand(rule, query)];
  if (parts.includes("no")) return "no";
  return parts.includes("unknown") ? "unknown" : "yes";
}

/** An allow rule matches only if all paths match; for the other rules one path is enough. */
function matchesPath({ path, decision }: PermissionRule, query: Query): RuleMatch {
  if (path === undefined) return "yes";
  if (query.paths.length === 0) return query.kind === "execute" ? "no" : "unknown";
  const inside = decision === "allow" ? query.paths.every(path.test) : query.paths.some(path.test);
  return inside ? "yes" : "no";
}

function matchesCommand({ command }: PermissionRule, query: Query): RuleMatch {
  if (command === undefined) return "yes";
  if (query.kind !== "execute") return "no";
  if (query.command === undefined) return "unknown";
  const words = wordsOf(query.command);
  if (words === undefined) return "unknown";
  return command.every((word, index) => words[index] === word) ? "yes" : "no";
}

/** Shell operators, substitution, redirection and grouping, and characters that end a line. */
const SHELL = /[;&|<>$`(){}\n\r\0]/;

/** The words of a simple command; undefined if a shell would do more than run it. */
export function wordsOf(command: string | readonly string[]): readonly string[] | undefined {
  if (typeof command !== "string") {
    return command.some((word) => SHELL.test(word)) ? undefined : command;
  }
  if (SHELL.test(command)) return undefined;
  try {
    return splitCommandLine(command);
  } catch (error) {
    if (error instanceof CliError) return undefined;
    throw error;
  }
}
