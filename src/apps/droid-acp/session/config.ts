/** Droid's settings as the modes and config options of a session. Pure. */
import type {
  SessionConfigOption,
  SessionConfigSelectOption,
  SessionMode,
  SessionModeState,
} from "../../../protocol/acp/index.ts";
import type { DroidSettings, ModelInfo, SettingsChange } from "../../../droid/index.ts";
import { definedFields } from "../../../base/index.ts";

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

export function configOptions(
  settings: DroidSettings,
  models: readonly ModelInfo[],
): readonly SessionConfigOption[] {
  const { model, reasoningEffort } = settings;
  const efforts = effortChoices(reasoningEffort, findModel(model, models));
  const mode = {
    id: MODE_OPTION,
    name: "Mode",
    description: "How much Droid may do without asking",
    category: "mode",
    currentValue: modeOf(settings),
    options: offeredModes(settings).map(({ id, ...shown }) => ({ value: id, ...shown })),
  };
  const modelOption = model !== undefined && {
    id: MODEL_OPTION,
    name: "Model",
    category: "model",
    currentValue: model,
    options: [...modelChoices(model, models)],
  };
  const effort = reasoningEffort !== undefined &&
    efforts.length > 0 && {
      id: EFFORT_OPTION,
      name: "Reasoning effort",
      category: "thought_level",
      currentValue: reasoningEffort,
      options: [...efforts],
    };
  return [mode, modelOption, effort].flatMap((option) =>
    option ? [{ type: "select" as const, ...option }] : [],
  );
}

function modelChoices(
  current: string,
  models: readonly ModelInfo[],
): readonly SessionConfigSelectOption[] {
  const choices = models.map(({ id, displayName, isCustom, isDeprecated }) => {
    const notes = [...(isCustom ? ["own key"] : []), ...(isDeprecated ? ["deprecated"] : [])];
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
  const { model, reasoningEffort, autonomy, interactionMode } = requested;
  return definedFields({
    ...(model !== actual.model && { model }),
    ...(reasoningEffort !== actual.reasoningEffort && { reasoningEffort }),
    ...(autonomy !== actual.autonomy && { autonomy }),
    ...(interactionMode !== actual.interactionMode && { interactionMode }),
  });
}

export const MODE_IDS = ["spec", "off", "low", "medium", "high"] as const;
export type DroidModeId = (typeof MODE_IDS)[number];

const MODES = {
  spec: {
    id: "spec",
    name: "Spec",
    description: "Writes a plan first and asks before it starts the work",
  },
  off: { id: "off", name: "Off", description: "Asks before every change and command" },
  low: {
    id: "low",
    name: "Low",
    description: "Changes files without asking; asks before commands that change something",
  },
  medium: {
    id: "medium",
    name: "Medium",
    description: "Also runs commands that can be undone; asks before other commands",
  },
  high: { id: "high", name: "High", description: "Runs everything without asking" },
} as const satisfies Record<DroidModeId, SessionMode>;

export function isModeId(value: string): value is DroidModeId {
  return Object.hasOwn(MODES, value);
}

/** The mode for these settings. Other interaction modes of Droid show as their autonomy level. */
export function modeOf({ interactionMode, autonomy }: DroidSettings): DroidModeId {
  return interactionMode === "spec" ? "spec" : (autonomy ?? "off");
}

/** The available modes. An organization may allow fewer, but the current mode is included. */
function offeredModes(settings: DroidSettings) {
  const levels = settings.availableAutonomyLevels;
  const current = modeOf(settings);
  return MODE_IDS.filter(
    (id) => id === "spec" || id === current || levels.length === 0 || levels.includes(id),
  ).map((id) => MODES[id]);
}

export function modeState(settings: DroidSettings): SessionModeState {
  return { currentModeId: modeOf(settings), availableModes: [...offeredModes(settings)] };
}

export function modeChange(mode: DroidModeId): SettingsChange {
  if (mode === "spec") return { interactionMode: "spec" };
  return { interactionMode: "auto", autonomy: mode };
}
