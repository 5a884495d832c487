/** Droid's settings as the config options of a session. Pure. */
import type { SessionConfigOption, SessionConfigSelectOption } from "../../acp/index.ts";
import type { DroidSettings, ModelInfo, SettingsChange } from "../../droid/index.ts";
import { isModeId, modeChange, modeOf, offeredModes } from "./modes.ts";

const MODE_OPTION = "mode";
export const MODEL_OPTION = "model";
const EFFORT_OPTION = "reasoning_effort";

const EFFORTS: Readonly<Record<string, string>> = {
  none: "None",
  dynamic: "Dynamic",
  off: "Off",
  minimal: "Minimal",
  low: "Low",
  medium: "Medium",
  high: "High",
  xhigh: "Extra high",
  max: "Maximum",
};

/** All options with their current values. */
export function configOptions(
  settings: DroidSettings,
  models: readonly ModelInfo[],
): readonly SessionConfigOption[] {
  const options: SessionConfigOption[] = [
    {
      type: "select",
      id: MODE_OPTION,
      name: "Mode",
      description: "How much Droid may do without asking",
      category: "mode",
      currentValue: modeOf(settings),
      options: offeredModes(settings).map(({ id, name, description }) => ({
        value: id,
        name,
        ...(description === undefined ? {} : { description }),
      })),
    },
  ];
  const { model, reasoningEffort } = settings;
  if (model !== undefined) {
    options.push({
      type: "select",
      id: MODEL_OPTION,
      name: "Model",
      category: "model",
      currentValue: model,
      options: [...modelChoices(model, models)],
    });
  }
  const efforts = effortChoices(reasoningEffort, findModel(model, models));
  if (reasoningEffort !== undefined && efforts.length > 0) {
    options.push({
      type: "select",
      id: EFFORT_OPTION,
      name: "Reasoning effort",
      category: "thought_level",
      currentValue: reasoningEffort,
      options: [...efforts],
    });
  }
  return options;
}

function modelChoices(
  current: string,
  models: readonly ModelInfo[],
): readonly SessionConfigSelectOption[] {
  const choices = models.map(({ id, displayName, isCustom, deprecated }) => {
    const notes = [...(isCustom ? ["own key"] : []), ...(deprecated ? ["deprecated"] : [])];
    return {
      value: id,
      name: displayName,
      ...(notes.length === 0 ? {} : { description: notes.join(", ") }),
    };
  });
  if (choices.some(({ value }) => value === current)) return choices;
  // Own-key models have more names than Droid lists: `custom:<model>` next to `custom:<name>-<n>`.
  return [{ value: current, name: current.replace(/^custom:/, "") }, ...choices];
}

/** Finds a model by its id, or an own-key model by any of its names. */
export function findModel(
  id: string | undefined,
  models: readonly ModelInfo[],
): ModelInfo | undefined {
  if (id === undefined) return undefined;
  const listed = models.find((model) => model.id === id || model.raw["modelId"] === id);
  if (listed) return listed;
  const custom = models.filter((model) => model.isCustom);
  return id.startsWith("custom:") && custom.length === 1 ? custom[0] : undefined;
}

function effortChoices(
  current: string | undefined,
  model: ModelInfo | undefined,
): readonly SessionConfigSelectOption[] {
  const efforts = model?.supportedReasoningEfforts ?? [];
  const all = current === undefined || efforts.includes(current) ? efforts : [current, ...efforts];
  return all.map((value) => ({ value, name: EFFORTS[value] ?? value }));
}

/** The settings to request when an option is set, or undefined for an unknown option or value. */
export function optionChange(id: string, value: string | boolean): SettingsChange | undefined {
  if (typeof value !== "string") return undefined;
  switch (id) {
    case MODE_OPTION:
      return isModeId(value) ? modeChange(value) : undefined;
    case MODEL_OPTION:
      return { model: value };
    case EFFORT_OPTION:
      return { reasoningEffort: value };
    default:
      return undefined;
  }
}

/** The settings to request so that a reopened session gets back the settings it had. */
export function requestedSettings(settings: DroidSettings): SettingsChange {
  const { model, reasoningEffort, autonomy, interactionMode } = settings;
  return { model, reasoningEffort, autonomy, interactionMode };
}

/** The requested settings that differ from the current ones. */
export function unmetSettings(requested: SettingsChange, actual: DroidSettings): SettingsChange {
  const unmet: { -readonly [K in keyof SettingsChange]: SettingsChange[K] } = {};
  if (requested.model !== undefined && requested.model !== actual.model)
    unmet.model = requested.model;
  if (
    requested.reasoningEffort !== undefined &&
    requested.reasoningEffort !== actual.reasoningEffort
  )
    unmet.reasoningEffort = requested.reasoningEffort;
  if (requested.autonomy !== undefined && requested.autonomy !== actual.autonomy)
    unmet.autonomy = requested.autonomy;
  if (
    requested.interactionMode !== undefined &&
    requested.interactionMode !== actual.interactionMode
  )
    unmet.interactionMode = requested.interactionMode;
  return unmet;
}
