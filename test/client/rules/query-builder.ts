import type { ToolKind } from "../../../src/protocol/acp/index.ts";
import type { RuleQuery } from "../../../src/client/rules/rules.ts";
import type { TargetPath } from "../../../src/client/index.ts";

/** A target whose path has no links. Paths below `/w` are inside the roots. */
export function target(path: string, realPath: string = path): TargetPath {
  return { path, realPath, isInside: realPath === "/w" || realPath.startsWith("/w/") };
}

/** A query whose paths, given as strings, have no links. */
export function query(
  kind: ToolKind,
  {
    paths = [],
    ...rest
  }: Partial<Omit<RuleQuery, "paths">> & { paths?: readonly (string | TargetPath)[] } = {},
): RuleQuery {
  const targets = paths.map((path) => (typeof path === "string" ? target(path) : path));
  return {
    kind,
    paths: targets,
    command: undefined,
    isCommandChanged: false,
    isInside: targets.every(({ isInside }) => isInside),
    isComplete: true,
    ...rest,
  };
}
