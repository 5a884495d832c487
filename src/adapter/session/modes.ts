/** Droid's autonomy levels and its spec mode as the modes of a session. Pure. */
import type { SessionMode, SessionModeState } from "../../acp/index.ts";
import type { DroidSettings, SettingsChange } from "../../droid/index.ts";

export const MODE_IDS = ["spec", "off", "low", "medium", "high"] as const;
export type DroidModeId = (typeof MODE_IDS)[number];

const MODES: Readonly<Record<DroidModeId, SessionMode>> = {
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
};

export function isModeId(value: string): value is DroidModeId {
  return Object.hasOwn(MODES, value);
}

/** The mode for these settings. Other interaction modes of Droid show as their autonomy level. */
export function modeOf({ interactionMode, autonomy }: DroidSettings): DroidModeId {
  return interactionMode === "spec" ? "spec" : (autonomy ?? "off");
}

/** The available modes. An organisation may allow fewer, but the current mode is included. */
export function offeredModes(settings: DroidSettings): readonly SessionMode[] {
  const levels = settings.availableAutonomyLevels;
  const current = modeOf(settings);
  return MODE_IDS.filter(
    (id) => id === "spec" || id === current || levels.length === 0 || levels.includes(id),
  ).map((id) => MODES[id]);
}

export function modeState(settings: DroidSettings): SessionModeState {
  return { currentModeId: modeOf(settings), availableModes: [...offeredModes(settings)] };
}

/** The settings to request for a mode. */
export function modeChange(mode: DroidModeId): SettingsChange {
  if (mode === "spec") return { interactionMode: "spec" };
  return { interactionMode: "auto", autonomy: mode };
}
