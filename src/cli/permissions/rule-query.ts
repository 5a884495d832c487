import type { ToolKind } from "../../acp/index.ts";
import type { CommandMention, PermissionRequest } from "../../client/index.ts";

/** The parts of a request that the rules and flags look at. */
export interface Query {
  readonly kind: ToolKind;
  /** Absolute paths without `..`; empty if none is known. */
  readonly paths: readonly string[];
  /** A shell command line, or a command with its arguments; undefined if none is known. */
  readonly command: string | readonly string[] | undefined;
}

/** The query for a request. It has a command only if the tool is of the kind `execute`. */
export function queryOf({ kind, targets }: Pick<PermissionRequest, "kind" | "targets">): Query {
  const [command] = targets.commands;
  return {
    kind,
    paths: targets.paths,
    command: kind === "execute" && command !== undefined ? commandOf(command) : undefined,
  };
}

function commandOf({ line, words }: CommandMention): string | readonly string[] | undefined {
  return words ?? line;
}

/** A command as text for people. Not safe to run in a shell. */
export function showCommand(command: string | readonly string[]): string {
  if (typeof command === "string") return command;
  return command
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word)))
    .join(" ");
}
