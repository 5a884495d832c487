import { homedir } from "node:os";
import type { EndStages, Logger, Tap } from "../wire/index.ts";
import type { SettingsChange } from "../droid/index.ts";
import { modeChange, type DroidModeId } from "./session/modes.ts";
import { DroidPool } from "./process/pool.ts";
import { adapterStateFolder, SessionIds } from "./session/session-ids.ts";

/** How an adapter is set up; everything may be left out. */
export interface AdapterOptions {
  /** Droid's executable; searched for unless given. */
  readonly executable?: string | undefined;
  /** The model of new sessions; Droid's own default unless given. */
  readonly model?: string | undefined;
  readonly mode?: DroidModeId | undefined;
  /** After so many minutes without a prompt a session lets its process go; 0 for never. */
  readonly idleMinutes?: number | undefined;
  /** Whether a process is started for the folder that is likely next. */
  readonly ahead?: boolean | undefined;
  /** Laid over this process's environment, for Droid alone. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly logger?: Logger | undefined;
  /** Sees what is said to Droid and what it says. */
  readonly tap?: Tap | undefined;
}

const DEFAULT_IDLE_MINUTES = 15;

/** Droid is given little time to end: all sessions together have two seconds, also mid-turn. */
const STAGES: EndStages = { eofMs: 200, termMs: 200 };

/** What the sessions of one adapter share. */
export interface AdapterDeps {
  readonly pool: DroidPool;
  readonly ids: SessionIds;
  readonly home: string;
  readonly requestedSettings: SettingsChange;
  /** 0 for never. */
  readonly idleMs: number;
  readonly logger: Logger | undefined;
  /** Whether FACTORY_API_KEY is there for Droid to see. */
  readonly hasApiKey: boolean;
}

export function createDeps(options: AdapterOptions): AdapterDeps {
  const { executable, env = {}, logger, tap, model, mode, ahead = true } = options;
  const all = { ...process.env, ...env };
  const home = all["HOME"] ?? homedir();
  const idleMs = (options.idleMinutes ?? DEFAULT_IDLE_MINUTES) * 60_000;
  const droid = { executable, env, logger, tap, stages: STAGES };
  return {
    pool: new DroidPool({ droid, home, ahead, keepMs: idleMs }),
    ids: new SessionIds(adapterStateFolder({ env: all, home, platform: process.platform })),
    home,
    requestedSettings: { model, ...(mode === undefined ? {} : modeChange(mode)) },
    idleMs,
    logger,
    hasApiKey: (all["FACTORY_API_KEY"] ?? "") !== "",
  };
}
