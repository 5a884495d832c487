import { resolve } from "node:path";
import type { ToolCallContent, ToolKind } from "../../acp/index.ts";
import { isJsonObject } from "../../wire/index.ts";

/** What a permission is asked for, by fields alone: titles and other prose decide nothing. */
export interface Query {
  readonly kind: ToolKind;
  /** Absolute and without `..`; empty when none are known. */
  readonly paths: readonly string[];
  /** A line for a shell, or a command with its arguments; undefined when none is known. */
  readonly command: string | readonly string[] | undefined;
}

/** The fields of a tool call that a query is made of. */
export interface ToolFacts {
  readonly kind: ToolKind;
  readonly content: readonly ToolCallContent[];
  readonly locations: readonly { readonly path: string }[];
  readonly rawInput: unknown;
}

/** The query of a tool call. */
export function queryOf(call: ToolFacts, cwd: string): Query {
  const paths = new Set<string>();
  for (const { path } of call.locations) paths.add(resolve(cwd, path));
  for (const item of call.content) if (item.type === "diff") paths.add(resolve(cwd, item.path));
  return {
    kind: call.kind,
    paths: [...paths],
    command: call.kind === "execute" ? commandOf(call.rawInput) : undefined,
  };
}

/** Agents put the command into `rawInput` as a line, or as a list of words, or with `args` beside. */
export function commandOf(rawInput: unknown): string | readonly string[] | undefined {
  if (!isJsonObject(rawInput)) return undefined;
  const command = rawInput["command"] ?? rawInput["cmd"];
  if (isTexts(command)) return command;
  if (typeof command !== "string" || command === "") return undefined;
  const { args } = rawInput;
  return isTexts(args) && args.length > 0 ? [command, ...args] : command;
}

/** A command for people to read. */
export function showCommand(command: string | readonly string[]): string {
  if (typeof command === "string") return command;
  return command
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word)))
    .join(" ");
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
