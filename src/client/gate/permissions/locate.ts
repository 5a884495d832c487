import type { ToolCallState, ToolKind } from "../../../protocol/acp/index.ts";
import type { Signals, Workspace } from "../workspace/workspace.ts";
import type { LocatedCommand, LocatedTargets } from "./memory.ts";
import type { RequestedWork } from "./subject.ts";
import {
  diffPathsOf,
  type Mentions,
  type PermissionTargets,
  significantEnv,
  type TargetCommand,
  type TargetPath,
} from "./targets.ts";

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
