import { isPermissionOptionKind, type PermissionOptionKind } from "./vocabulary.ts";
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
