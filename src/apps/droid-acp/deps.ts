import { homedir } from "node:os";
import {
  type EndStages,
  type Logger,
  stateFolder,
  type UserEnvironment,
} from "../../base/index.ts";
import type { Tap } from "../../transport/wire/index.ts";
import type { SettingsChange } from "../../droid/index.ts";
import { modeChange, type DroidModeId } from "./session/config.ts";
import { DroidPool } from "./process/pool.ts";
import { SessionIds } from "./session/stored.ts";
import { join } from "node:path";

export interface AdapterOptions {
  /** The path of the Droid executable. Default: the result of a search. */
  readonly executable?: string | undefined;
  readonly model?: string | undefined;
  readonly mode?: DroidModeId | undefined;
  /** How long a session keeps its Droid without a prompt. 0: forever. Default: 15 minutes. */
  readonly idleMs?: number | undefined;
  /** Whether to start a Droid ahead of time for the folder likely to be used next. Default: true. */
  readonly ahead?: boolean | undefined;
  /** Milliseconds between the opening of a session and that start. Default: 5000. */
  readonly aheadDelayMs?: number | undefined;
  /** Variables for Droid, added to the environment of this process. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly logger?: Logger | undefined;
  /** Sees every line sent to and received from Droid. */
  readonly tap?: Tap | undefined;
}

const DEFAULT_IDLE_MS = 15 * 60_000;
const DEFAULT_AHEAD_DELAY_MS = 5000;

/** Droid gets little time to exit: all sessions must end within two seconds, even during a turn. */
const STAGES: EndStages = { eofMs: 200, termMs: 200 };

/** The state that the sessions of one adapter share. */
export interface AdapterDeps {
  readonly pool: DroidPool;
  readonly ids: SessionIds;
  readonly home: string;
  readonly requestedSettings: SettingsChange;
  /** 0: never. */
  readonly idleMs: number;
  readonly logger: Logger | undefined;
  readonly hasApiKey: boolean;
}

export function createDeps(options: AdapterOptions): AdapterDeps {
  const { executable, env = {}, logger, tap, model, mode, ahead = true } = options;
  const { aheadDelayMs = DEFAULT_AHEAD_DELAY_MS } = options;
  const all = { ...process.env, ...env };
  const home = all["HOME"] ?? homedir();
  const idleMs = options.idleMs ?? DEFAULT_IDLE_MS;
  const droid = { executable, env, logger, tap, stages: STAGES };
  return {
    pool: new DroidPool({ droid, home, ahead, aheadDelayMs, keepMs: idleMs }),
    ids: new SessionIds(adapterStateFolder({ env: all, home, platform: process.platform })),
    home,
    requestedSettings: { model, ...(mode === undefined ? {} : modeChange(mode)) },
    idleMs,
    logger,
    hasApiKey: (all["FACTORY_API_KEY"] ?? "") !== "",
  };
}

/** The folder in which droid-acp keeps state between runs. Pure. */
export function adapterStateFolder(user: UserEnvironment): string {
  return join(stateFolder(user), "droid-acp");
}
