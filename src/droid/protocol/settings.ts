import { type JsonObject, stringField, stringsField } from "../../wire/index.ts";
import type { ModelInfo } from "./protocol.ts";
import type { SettingsDialect } from "./versions.ts";

/** How much Droid may do without asking. */
export type Autonomy = "off" | "low" | "medium" | "high";

/** `spec`: Droid plans, and asks before it begins the work. `agi` and `mission` are Droid's own. */
export type InteractionMode = "auto" | "spec" | "agi" | "mission";

/** How much the model thinks; each model has some of these, see `ModelInfo`. */
export type ReasoningEffort =
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

/** What can be asked of a session; what is left out stays as it is. */
export interface SettingsChange {
  /** Such as `custom:my-model` for an own-key model, or an id from the list of models. */
  readonly model?: string | undefined;
  readonly reasoningEffort?: ReasoningEffort | undefined;
  readonly autonomy?: Autonomy | undefined;
  readonly interactionMode?: InteractionMode | undefined;
  /** The model for planning in spec mode, where it is another. */
  readonly specModel?: string | undefined;
  readonly specReasoningEffort?: ReasoningEffort | undefined;
}

/** The settings Droid says are in force, in one spelling for all versions. */
export interface DroidSettings {
  readonly model: string | undefined;
  readonly reasoningEffort: ReasoningEffort | undefined;
  readonly autonomy: Autonomy | undefined;
  readonly interactionMode: InteractionMode | undefined;
  readonly specModel: string | undefined;
  readonly specReasoningEffort: ReasoningEffort | undefined;
  readonly availableAutonomyLevels: readonly Autonomy[];
  /** As Droid sent them, all updates laid over each other. */
  readonly raw: JsonObject;
}

/** A wish that Droid did not follow, although it did not refuse it either. */
export interface IgnoredSetting {
  readonly setting: keyof SettingsChange;
  readonly requested: string;
  /** What is in force instead. */
  readonly actual: string | undefined;
  /** `unlisted`: Droid took it, but it is none of the models it offers, so the next turn may fail. */
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

const INTERACTION_MODES: Readonly<Record<string, InteractionMode>> = {
  auto: "auto",
  spec: "spec",
  agi: "agi",
  mission: "mission",
};

/** The wire's fields for a change. A version without interaction modes has `spec` among the autonomy values. */
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
  // Leaving spec mode has no name of its own there: the most careful level is the one to return to.
  return interactionMode === "auto" ? MODE_OF.off : undefined;
}

/** Reads settings in whatever spelling they came. */
export function readSettings(raw: JsonObject): DroidSettings {
  const level = stringField(raw, "autonomyLevel");
  const mode = stringField(raw, "autonomyMode");
  const interaction = stringField(raw, "interactionMode");
  const autonomy =
    (level === undefined ? undefined : AUTONOMY_OF[level]) ??
    (mode === undefined ? undefined : AUTONOMY_OF[mode]);
  const isSpec = level === "spec" || (interaction === undefined && mode === "spec");
  const says = level !== undefined || mode !== undefined;
  return {
    model: stringField(raw, "modelId"),
    reasoningEffort: stringField(raw, "reasoningEffort"),
    autonomy,
    interactionMode:
      interaction === undefined
        ? isSpec
          ? "spec"
          : says
            ? "auto"
            : undefined
        : INTERACTION_MODES[interaction],
    specModel: stringField(raw, "specModeModelId"),
    specReasoningEffort: stringField(raw, "specModeReasoningEffort"),
    availableAutonomyLevels: stringsField(raw, "availableAutonomyLevels").flatMap((name) => {
      const known = AUTONOMY_OF[name];
      return known === undefined ? [] : [known];
    }),
    raw,
  };
}

/** An update may hold only some of the fields; the others stay in force. */
export function mergeSettings(known: DroidSettings, update: JsonObject): DroidSettings {
  return readSettings({ ...known.raw, ...update });
}

/** The change that brings a session to these settings, whatever its own are. */
export function changeTo(settings: DroidSettings): SettingsChange {
  const { model, reasoningEffort, autonomy, interactionMode } = settings;
  const { specModel, specReasoningEffort } = settings;
  return { model, reasoningEffort, autonomy, interactionMode, specModel, specReasoningEffort };
}

/** Which requested the settings now in force do not fulfil. */
export function ignoredSettings(
  change: SettingsChange,
  actual: DroidSettings,
  models: readonly ModelInfo[] = [],
): readonly IgnoredSetting[] {
  const found: IgnoredSetting[] = [];
  const compare = (setting: keyof SettingsChange): void => {
    const requested = change[setting];
    if (requested === undefined || requested === actual[setting]) return;
    // Spec mode in a version without interaction modes says nothing of the autonomy behind it.
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
  // Absent from the answers of a session that is not in spec mode, so silence there proves nothing.
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

/** Own-key models go by more names than the list has: `custom:<model>` and `custom:<name>-<index>`. */
function isUnlisted(model: string, actual: DroidSettings, models: readonly ModelInfo[]): boolean {
  if (model !== actual.model || model.startsWith("custom:") || models.length === 0) return false;
  return !models.some(({ id, raw }) => id === model || raw["modelId"] === model);
}
