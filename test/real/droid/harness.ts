import { afterEach } from "vitest";
import {
  DroidClient,
  type DroidEvent,
  type DroidProcessOptions,
  type DroidSessionOptions,
  type NewDroidSessionOptions,
  type DroidTurn,
} from "../../../src/entries/droid.ts";
import {
  createDroidHome,
  type DroidHome,
  type DroidHomeOptions,
} from "../../support/droid/home.ts";
import { ensureDroid, type DroidVersion } from "../../support/droid/install.ts";
import { processesWithHome } from "../../support/droid/leftovers.ts";
import {
  ModelServer,
  toolCall,
  type ModelServerOptions,
  type ScriptEntry,
} from "../../../src/conformance/scripted-model/index.ts";
import { cleanups, shared, type Later } from "../../support/shared.ts";
import { textIn } from "./events.ts";

/** A real Droid with a scripted model, in its own home. */
export interface Stage {
  readonly version: DroidVersion;
  readonly model: ModelServer;
  readonly home: DroidHome;
  /** Options that start the real executable in this home. */
  readonly process: DroidProcessOptions;
  readonly start: (options?: DroidProcessOptions & NewDroidSessionOptions) => Promise<DroidClient>;
  readonly load: (
    sessionId: string,
    options?: DroidProcessOptions & DroidSessionOptions,
  ) => Promise<DroidClient>;
}

type StageOptions = Partial<DroidHomeOptions> & Pick<ModelServerOptions, "fallback" | "auxiliary">;

const { later, cleanUp } = cleanups();
afterEach(cleanUp);

export function stage(
  version: DroidVersion,
  script: readonly ScriptEntry[] = [],
  options: StageOptions = {},
): Promise<Stage> {
  return build(version, script, options, later);
}

/** One Droid for the tests of a block that need no start of their own. */
export function sharedDroid(
  version: DroidVersion,
  options: StageOptions = {},
): () => Promise<{ readonly scene: Stage; readonly droid: DroidClient }> {
  return shared(async (own) => {
    const scene = await build(version, [], options, own);
    return { scene, droid: await scene.start() };
  });
}

async function build(
  version: DroidVersion,
  script: readonly ScriptEntry[],
  options: StageOptions,
  own: Later,
): Promise<Stage> {
  const { fallback, auxiliary, ...homeOptions } = options;
  const model = await ModelServer.start(script, {
    ...(fallback && { fallback }),
    ...(auxiliary && { auxiliary }),
  });
  own(() => model.close());
  const home = await createDroidHome({
    modelUrl: model.url,
    ...homeOptions,
  });
  own(() => home.remove());
  // The Droid under test must not use the caller's key.
  const env = { ...home.env, FACTORY_API_KEY: undefined, DROID_EXECUTABLE: undefined };
  const process = { executable: await ensureDroid(version), cwd: home.workspace, env };
  const keep = (droid: DroidClient): DroidClient => {
    own(() => droid.close());
    return droid;
  };
  return {
    version,
    model,
    home,
    process,
    start: async (more = {}) =>
      keep(await DroidClient.start({ ...process, model: home.modelId, ...more })),
    load: async (sessionId, more = {}) =>
      keep(await DroidClient.load(sessionId, { ...process, ...more })),
  };
}

export async function play(turn: DroidTurn) {
  const events: DroidEvent[] = [];
  for await (const event of turn) events.push(event);
  return { events, result: await turn.result, text: textIn(events) };
}

/** Iterates a turn in the background, so that a test can wait for one of its events. */
export function watch(turn: DroidTurn) {
  const seen: DroidEvent[] = [];
  const waiting = new Set<() => void>();
  let over = false;
  const wake = (): void => {
    for (const check of waiting) check();
  };
  void (async () => {
    try {
      for await (const event of turn) {
        seen.push(event);
        wake();
      }
    } catch {
      // The result of the turn reports the error.
    }
    over = true;
    wake();
  })();
  return {
    until: (matches: (event: DroidEvent) => boolean) =>
      new Promise<DroidEvent>((resolve, reject) => {
        const check = (): void => {
          const found = seen.find(matches);
          if (!found && !over) return;
          waiting.delete(check);
          if (found) resolve(found);
          else reject(new Error(`the turn ended first: ${seen.map(({ type }) => type).join(" ")}`));
        };
        waiting.add(check);
        check();
      }),
  };
}

/** A command that requires permission at every level below high. */
export function execute(command: string, riskLevel = "medium"): ReturnType<typeof toolCall> {
  return toolCall("Execute", { command, timeout: 120, riskLevel, riskLevelReason: "because" });
}

/** The processes that still run in a home. */
export async function leftOver(home: DroidHome): Promise<number[]> {
  return processesWithHome(home.home);
}

/** Polls a condition that has no event, such as the end of a process started by someone else. */
export async function eventually(holds: () => Promise<boolean>, ms = 5000): Promise<boolean> {
  const deadline = Date.now() + ms;
  while (!(await holds())) {
    if (Date.now() > deadline) return false;
    await new Promise((resolve) => {
      setTimeout(resolve, 20);
    });
  }
  return true;
}
