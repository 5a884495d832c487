import type { ToolKind } from "../../protocol/acp/index.ts";
import { canChangeCommand, isInside, type PermissionRequest, type TargetPath } from "../index.ts";

/** The facts about a request that the rules and flags judge it by. */
export interface Query {
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
export function queryOf({ kind, targets }: Pick<PermissionRequest, "kind" | "targets">): Query {
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
export function describeQuery(query: Query): string {
  if (query.command !== undefined) return `run ${showCommand(query.command)}`;
  const [path, ...more] = query.paths;
  const where =
    path === undefined ? "" : ` ${path.path}${more.length > 0 ? ` and ${more.length} more` : ""}`;
  return `${query.kind}${where}`;
}
