import { isPermissionOptionKind, type PermissionOptionKind, type ToolKind } from "./vocabulary.ts";
import type { RawPermissionOption } from "./parse/params-types.ts";

/**
 * Stands in a permission option for a kind nobody gave. It is not a word of the protocol, so a policy
 * that looks for an allowing or a rejecting option finds neither, and only a person can choose it.
 */
export const UNKNOWN_OPTION_KIND = "unknown";

/** One option of a permission request, its kind known or explicitly not. */
export interface PermissionChoice {
  readonly optionId: string;
  readonly name: string;
  readonly kind: PermissionOptionKind | typeof UNKNOWN_OPTION_KIND;
  /** The option as it came. */
  readonly raw: RawPermissionOption;
}

/** Reads the options of a validated permission request, in their order. Total. */
export function toPermissionChoices(
  options: readonly RawPermissionOption[],
): readonly PermissionChoice[] {
  return options.map((raw) => ({
    optionId: raw.optionId,
    name: raw.name,
    kind: isPermissionOptionKind(raw.kind) ? raw.kind : UNKNOWN_OPTION_KIND,
    raw,
  }));
}

/** What a tool does to the user's machine, as permission policies and flags distinguish it. */
export type PermissionClass = "read" | "write" | "execute" | "other";

/**
 * The permission class of each tool kind. `fetch` is not `read`, because an address can carry data
 * out; `switch_mode` is not, because a mode may lift the agent's own restraints.
 */
export const PERMISSION_CLASSES: Readonly<Record<ToolKind, PermissionClass>> = {
  read: "read",
  search: "read",
  think: "read",
  edit: "write",
  delete: "write",
  move: "write",
  execute: "execute",
  fetch: "other",
  switch_mode: "other",
  other: "other",
};
