import type { ToolKind } from "../../acp/index.ts";
import type { CommandMention, PermissionRequest } from "../../client/index.ts";

/** What the rules and flags judge a request by. */
export interface Query {
  readonly kind: ToolKind;
  /** Absolute paths without `..`; empty when none is known. */
  readonly paths: readonly string[];
  /** A line for a shell, or a command with its arguments; undefined when none is known. */
  readonly command: string | readonly string[] | undefined;
}

/** The query of a request. Only a tool that executes something counts as running its command. */
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

/** A command for people to read. */
export function showCommand(command: string | readonly string[]): string {
  if (typeof command === "string") return command;
  return command
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word)))
    .join(" ");
}
