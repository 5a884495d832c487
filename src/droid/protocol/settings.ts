import { type JsonObject, stringField, stringsField, booleanField } from "../../base/index.ts";
import type { ModelInfo } from "./messages.ts";
import type { SettingsDialect } from "./versions.ts";

/** How much Droid may do without asking. */
type Autonomy = "off" | "low" | "medium" | "high";

/**
 * `spec`: Droid plans, and asks before it starts the work. `agi` and `mission` are further modes of
 * Droid.
 */
type InteractionMode = "auto" | "spec" | "agi" | "mission";

/** How much the model thinks. Each model supports some of these values; see `ModelInfo`. */
type ReasoningEffort =
  | "none"
  | "dynamic"
  | "off"
  | "minimal"
  | "low"
  | "medium"
  | "high"
  | "xhigh"
  | "max"
  | (string & {});

/** The tools of a session, by the names or ids from `listTools`, such as `Read` or `read-cli`. */
export interface ToolSelection {
  /** Tools on top of those that Droid offers the model by default. Not in 0.99. */
  readonly additionalTools?: readonly string[] | undefined;
  /**
   * Tools that the model does not get. Not in 0.99. Droid then also leaves out the tools that would
   * ask for permission at the current autonomy, unless they are in `additionalTools`.
   */
  readonly disabledTools?: readonly string[] | undefined;
  /** The only tools that the model gets. An empty list allows all of them. Since 0.215. */
  readonly restrictTools?: readonly string[] | undefined;
}

/** A change of settings. Omitted settings stay as they are. */
export interface SettingsChange extends ToolSelection {
  /** An id from the list of models, or for example `custom:my-model` for an own-key model. */
  readonly model?: string | undefined;
  /** How much the model thinks. Each model supports some of the values. */
  readonly reasoningEffort?: ReasoningEffort | undefined;
  /** How much Droid may do without asking. */
  readonly autonomy?: Autonomy | undefined;
  /** Whether Droid works at once or plans first. */
  readonly interactionMode?: InteractionMode | undefined;
  /** The model for planning in spec mode, if it differs. */
  readonly specModel?: string | undefined;
  /** How much the model for planning thinks. */
  readonly specReasoningEffort?: ReasoningEffort | undefined;
}

/** The settings in effect, as Droid reports them, in one spelling for all versions. */
export interface DroidSettings {
  readonly model: string | undefined;
  /** How much the model thinks. */
  readonly reasoningEffort: ReasoningEffort | undefined;
  /** How much Droid may do without asking. */
  readonly autonomy: Autonomy | undefined;
  /** Whether Droid works at once or plans first. */
  readonly interactionMode: InteractionMode | undefined;
  /** The model for planning in spec mode, if it differs. */
  readonly specModel: string | undefined;
  /** How much the model for planning thinks. */
  readonly specReasoningEffort: ReasoningEffort | undefined;
  /** The levels that this user may choose; empty if Droid does not list them. */
  readonly availableAutonomyLevels: readonly Autonomy[];
  /** The settings as Droid sent them, with all updates merged. */
  readonly raw: JsonObject;
}

/** A setting that Droid may ignore. It reports a selection of tools that it cannot make as an error. */
type ComparedSetting = Exclude<keyof SettingsChange, keyof ToolSelection>;

/** A requested setting that Droid did not apply, although it reported no error. */
export interface IgnoredSetting {
  /** The name of the setting. */
  readonly setting: ComparedSetting;
  /** The value that was requested. */
  readonly requested: string;
  /** The value in effect instead. */
  readonly actual: string | undefined;
  /** `unlisted`: Droid accepted the model but does not list it, so the next turn may fail. */
  readonly kind: "ignored" | "unlisted";
}

const MODE_OF: Readonly<Record<Autonomy, string>> = {
  off: "normal",
  low: "auto-low",
  medium: "auto-medium",
  high: "auto-high",
};

const AUTONOMY_OF: Readonly<Record<string, Autonomy>> = {
  off: "off",
  low: "low",
  medium: "medium",
  high: "high",
  normal: "off",
  "auto-low": "low",
  "auto-medium": "medium",
  "auto-high": "high",
};

const INTERACTION_MODES = ["auto", "spec", "agi", "mission"] as const;

/** The params for a change. In a version without interaction modes, `spec` is one of the autonomy values. */
export function settingsParams(change: SettingsChange, dialect: SettingsDialect): JsonObject {
  const params: Record<string, string> = {};
  if (change.model !== undefined) params["modelId"] = change.model;
  if (change.reasoningEffort !== undefined) params["reasoningEffort"] = change.reasoningEffort;
  if (change.specModel !== undefined) params["specModeModelId"] = change.specModel;
  if (change.specReasoningEffort !== undefined)
    params["specModeReasoningEffort"] = change.specReasoningEffort;
  if (dialect === "levels") {
    if (change.autonomy !== undefined) params["autonomyLevel"] = change.autonomy;
    if (change.interactionMode !== undefined) params["interactionMode"] = change.interactionMode;
    return params;
  }
  const mode = combinedMode(change);
  if (mode !== undefined) params[dialect === "modes" ? "autonomyMode" : "autonomyLevel"] = mode;
  return params;
}

function combinedMode({ autonomy, interactionMode }: SettingsChange): string | undefined {
  if (interactionMode === "spec") return "spec";
  if (autonomy !== undefined) return MODE_OF[autonomy];
  // These versions have no value for leaving spec mode, so fall back to the most careful level.
  return interactionMode === "auto" ? MODE_OF.off : undefined;
}

/** Reads settings in the spelling of any version. */
export function readSettings(raw: JsonObject): DroidSettings {
  const level = stringField(raw, "autonomyLevel");
  const mode = stringField(raw, "autonomyMode");
  const interaction = stringField(raw, "interactionMode");
  return {
    model: stringField(raw, "modelId"),
    reasoningEffort: stringField(raw, "reasoningEffort"),
    autonomy: AUTONOMY_OF[level ?? ""] ?? AUTONOMY_OF[mode ?? ""],
    interactionMode:
      interaction === undefined
        ? modeWithin(level, mode)
        : INTERACTION_MODES.find((known) => known === interaction),
    specModel: stringField(raw, "specModeModelId"),
    specReasoningEffort: stringField(raw, "specModeReasoningEffort"),
    availableAutonomyLevels: stringsField(raw, "availableAutonomyLevels").flatMap(
      (name) => AUTONOMY_OF[name] ?? [],
    ),
    raw,
  };
}

/** The interaction mode of a version that reports it as one of the autonomy values. */
function modeWithin(
  level: string | undefined,
  mode: string | undefined,
): InteractionMode | undefined {
  if (level === "spec" || mode === "spec") return "spec";
  return level === undefined && mode === undefined ? undefined : "auto";
}

/** Merges an update, which may contain only some of the fields. */
export function mergeSettings(known: DroidSettings, update: JsonObject): DroidSettings {
  return readSettings({ ...known.raw, ...update });
}

/** The change that gives another session these settings. */
export function changeTo(settings: DroidSettings): SettingsChange {
  const { model, reasoningEffort, autonomy, interactionMode, raw } = settings;
  const { specModel, specReasoningEffort } = settings;
  return {
    model,
    reasoningEffort,
    autonomy,
    interactionMode,
    specModel,
    specReasoningEffort,
    additionalTools: toolList(raw, "enabledToolIds"),
    disabledTools: toolList(raw, "disabledToolIds"),
  };
}

/** 0.99 reports no lists and accepts none. */
function toolList(raw: JsonObject, field: string): readonly string[] | undefined {
  const list = stringsField(raw, field);
  return list.length === 0 ? undefined : list;
}

/** The requested settings that are not in effect. */
export function ignoredSettings(
  change: SettingsChange,
  actual: DroidSettings,
  models: readonly ModelInfo[] = [],
): readonly IgnoredSetting[] {
  const found: IgnoredSetting[] = [];
  const compare = (setting: ComparedSetting): void => {
    const requested = change[setting];
    if (requested === undefined || requested === actual[setting]) return;
    // In a version without interaction modes, spec mode hides the autonomy level.
    if (
      setting === "autonomy" &&
      actual.autonomy === undefined &&
      actual.interactionMode === "spec"
    )
      return;
    found.push({ setting, requested, actual: actual[setting], kind: "ignored" });
  };
  compare("model");
  compare("reasoningEffort");
  compare("autonomy");
  compare("interactionMode");
  // Droid omits these outside spec mode, so a missing value proves nothing.
  if (actual.specModel !== undefined) compare("specModel");
  if (actual.specReasoningEffort !== undefined) compare("specReasoningEffort");
  if (change.model !== undefined && isUnlisted(change.model, actual, models)) {
    found.push({
      setting: "model",
      requested: change.model,
      actual: actual.model,
      kind: "unlisted",
    });
  }
  return found;
}

/** Own-key models have more names than the list shows: `custom:<model>` and `custom:<name>-<index>`. */
function isUnlisted(model: string, actual: DroidSettings, models: readonly ModelInfo[]): boolean {
  if (model !== actual.model || model.startsWith("custom:") || models.length === 0) return false;
  return !models.some(({ id, raw }) => id === model || raw["modelId"] === model);
}

export function readModel(value: JsonObject): ModelInfo {
  const id = stringField(value, "id") ?? stringField(value, "modelId") ?? "";
  return {
    id,
    displayName: stringField(value, "displayName") ?? id,
    shortDisplayName: stringField(value, "shortDisplayName"),
    provider: stringField(value, "modelProvider"),
    supportedReasoningEfforts: stringsField(value, "supportedReasoningEfforts"),
    defaultReasoningEffort: stringField(value, "defaultReasoningEffort"),
    isCustom: booleanField(value, "isCustom") ?? id.startsWith("custom:"),
    supportsImages: booleanField(value, "noImageSupport") !== true,
    supportsPdfs: booleanField(value, "supportsPDFs") === true,
    isDeprecated: booleanField(value, "deprecated") === true,
    raw: value,
  };
}
