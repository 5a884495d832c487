import { type JsonObject, stringsField } from "../../wire/index.ts";
import { UnsupportedByDroidError } from "../errors.ts";
import type { DroidSettings, ToolSelection } from "./settings.ts";
import type { DroidCapabilities, DroidVersion } from "./versions.ts";

/**
 * A text replaces Droid's instructions, apart from its identity and its rules for tools. `append` adds
 * to them.
 */
export type DroidSystemPrompt =
  | string
  | {
      /** The text after Droid's own instructions. */
      readonly append: string;
    };

/** A tag of a session. */
export interface DroidTag {
  /** The name of the tag. */
  readonly name: string;
  /** More about it, in texts. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

/** The capabilities of a version, and its numbers for error messages. */
export interface DroidAbilities {
  readonly capabilities: DroidCapabilities;
  readonly version: DroidVersion;
}

/** The params of a system prompt. Throws UnsupportedByDroidError. */
export function systemPromptParams(
  prompt: DroidSystemPrompt | undefined,
  { capabilities, version }: DroidAbilities,
): JsonObject {
  if (prompt === undefined) return {};
  if (!capabilities.systemPrompt) throw new UnsupportedByDroidError("a system prompt", version);
  if (typeof prompt === "string") return { systemPrompt: prompt };
  return { systemPrompt: { type: "preset", preset: "droid", append: prompt.append } };
}

/** The params of tags. Every tested version stores them. */
export function tagParams(tags: readonly (string | DroidTag)[] | undefined): JsonObject {
  if (tags === undefined) return {};
  return { tags: tags.map((tag) => (typeof tag === "string" ? { name: tag } : { ...tag })) };
}

/** The params of a selection of tools. Throws UnsupportedByDroidError. */
export function toolParams(
  { additionalTools, disabledTools, restrictTools }: ToolSelection,
  { capabilities, version }: DroidAbilities,
): JsonObject {
  const support = capabilities.toolSelection;
  const requested = [additionalTools, disabledTools, restrictTools];
  if (support === "none" && requested.some((list) => list !== undefined))
    throw new UnsupportedByDroidError("a selection of tools", version);
  if (support === "switches" && restrictTools !== undefined)
    throw new UnsupportedByDroidError("restrictTools", version);
  // 0.117 knows only the older name.
  const additional = support === "switches" ? "enabledToolIds" : "additionalToolIds";
  return {
    ...(additionalTools && { [additional]: additionalTools }),
    ...(disabledTools && { disabledToolIds: disabledTools }),
    ...(restrictTools && { restrictToolIds: restrictTools }),
  };
}

/**
 * Throws UnsupportedByDroidError if a new session lacks the system prompt or the tools that it was
 * opened with: versions that were not tested may ignore them.
 */
export function assertApplied(
  requested: ToolSelection & { readonly systemPrompt?: DroidSystemPrompt | undefined },
  { raw }: DroidSettings,
  version: DroidVersion,
): void {
  const { systemPrompt, restrictTools = [] } = requested;
  if (systemPrompt !== undefined && raw["systemPrompt"] === undefined)
    throw new UnsupportedByDroidError("a system prompt", version);
  const restricted = new Set(stringsField(raw, "restrictToolIds"));
  if (!restrictTools.every((tool) => restricted.has(tool)))
    throw new UnsupportedByDroidError("restrictTools", version);
}
