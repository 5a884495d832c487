import type { JsonObject } from "../../../base/index.ts";

const BEGIN = "*** Begin Patch";

const FILE_LINE = /^\*\*\* (Add|Update|Delete) File: (.+)$/;

const MOVE_LINE = /^\*\*\* Move to: (.+)$/;

interface PatchTarget {
  readonly path: string;
  readonly operation: "add" | "update" | "delete";
  /** The new path, if the patch also moves the file. */
  readonly movedTo: string | undefined;
}

/** The patch in a tool input. Its key differs between versions of Droid. */
export function patchText(input: JsonObject): string | undefined {
  return Object.values(input).find(
    (value): value is string => typeof value === "string" && value.includes(BEGIN),
  );
}

export function patchTargets(patch: string): readonly PatchTarget[] {
  const targets: PatchTarget[] = [];
  for (const line of patch.split(/\r?\n/)) {
    const [, verb, path] = FILE_LINE.exec(line) ?? [];
    const operation = OPERATIONS[verb ?? ""];
    if (operation !== undefined && path !== undefined)
      targets.push({ path: path.trim(), operation, movedTo: undefined });
    const moved = MOVE_LINE.exec(line)?.[1];
    const last = targets.at(-1);
    if (moved !== undefined && last)
      targets[targets.length - 1] = { ...last, movedTo: moved.trim() };
  }
  return targets;
}

const OPERATIONS: Readonly<Record<string, PatchTarget["operation"]>> = {
  Add: "add",
  Update: "update",
  Delete: "delete",
};

export function addedText(patch: string, path: string): string | undefined {
  const lines = patch.split(/\r?\n/);
  const start = lines.findIndex((line) => {
    const [, verb, name] = FILE_LINE.exec(line) ?? [];
    return verb === "Add" && name?.trim() === path;
  });
  if (start === -1) return undefined;
  const added: string[] = [];
  for (const line of lines.slice(start + 1)) {
    if (!line.startsWith("+")) break;
    added.push(line.slice(1));
  }
  return added.length === 0 ? "" : `${added.join("\n")}\n`;
}
