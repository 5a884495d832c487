import { definedFields } from "../../base/index.ts";
import { type Meta, metaOf } from "./meta.ts";
import type { PermissionOptionKind, ToolKind } from "./types.ts";
import { isPermissionOptionKind } from "./vocabulary.ts";
import type { RawPermissionOption } from "./parse/params-types.ts";

/**
 * The kind of a permission option that has no known kind. It is not a kind of the protocol, so a policy
 * that looks for an allowing or rejecting option never picks it. Only a person can choose it.
 */
export const UNKNOWN_OPTION_KIND = "unknown";

/** One option of a permission request, with a known kind or `unknown`. */
export interface PermissionChoice {
  readonly optionId: string;
  /** The label for the user, as the agent wrote it. */
  readonly name: string;
  /** The kind of the option; `unknown` if the agent sent one that is not in the protocol. */
  readonly kind: PermissionOptionKind | typeof UNKNOWN_OPTION_KIND;
  /** The option's `_meta`. */
  readonly meta?: Meta | undefined;
  /** The option as received. */
  readonly raw: RawPermissionOption;
}

/** Reads the options of a validated permission request, in order. Never throws. */
export function toPermissionChoices(
  options: readonly RawPermissionOption[],
): readonly PermissionChoice[] {
  return options.map((raw) => ({
    optionId: raw.optionId,
    name: raw.name,
    kind: isPermissionOptionKind(raw.kind) ? raw.kind : UNKNOWN_OPTION_KIND,
    ...definedFields({ meta: metaOf(raw) }),
    raw,
  }));
}

/** The effect of a tool on the user's machine, as far as permission policies and flags distinguish it. */
export type PermissionClass = "read" | "write" | "execute" | "other";

/**
 * The permission class of each tool kind. `fetch` is not `read`, because a URL can leak data.
 * `switch_mode` is not `read`, because a mode may lift the agent's own restrictions.
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
