/**
 * Runs droid-acp in this process, between a checked client and a real Droid with a scripted model.
 */
import { writeFile } from "node:fs/promises";
import type { ClientCapabilities } from "@agentclientprotocol/sdk/unstable";
import { afterEach, describe, expect } from "vitest";
import { serveDroid } from "../../../src/apps/droid-acp/index.ts";
import type { AdapterOptions } from "../../../src/apps/droid-acp/deps.ts";
import { memoryPair } from "../../../src/entries/agent.ts";
import {
  createDroidHome,
  type DroidHome,
  type DroidHomeOptions,
} from "../../support/droid/home.ts";
import { CRASH, LONG } from "../../support/droid/describe.ts";
import {
  droidUnavailable,
  droidVersions,
  ensureDroid,
  newestDroid,
  type DroidVersion,
} from "../../support/droid/install.ts";
import { processesWithHome } from "../../support/droid/leftovers.ts";
import {
  ModelServer,
  type ModelServerOptions,
  type ScriptEntry,
} from "../../../src/conformance/scripted-model/index.ts";
import { cleanups, shared, type Later } from "../../support/shared.ts";
import { everyDroid, rows } from "../../support/suite.ts";
import type { Answers, Driver } from "./driver.ts";
import type { Json } from "./judge.ts";
import { LibraryDriver, LibraryV2Driver } from "./library-driver.ts";
import { SdkDriver } from "./sdk-driver.ts";

/** The newest Droid, or all of them in the suite `droid`. */
export function servedDroids(): readonly DroidVersion[] {
  return everyDroid ? droidVersions : [newestDroid];
}

const DRIVERS = {
  "our library": LibraryDriver,
  "our library on v2": LibraryV2Driver,
  "the official SDK": SdkDriver,
};
export type DriverName = keyof typeof DRIVERS;

interface Scenario {
  readonly version: DroidVersion;
  readonly driver: DriverName;
}

type Start<R> = (options?: Omit<RigOptions, "version" | "driver">) => Promise<R>;

/** Starts what a test needs, with the Droid and the client library of the scenario. */
interface Starters {
  readonly start: Start<Rig>;
  /** Also opens a session in the workspace. */
  readonly open: Start<Rig & { readonly session: string }>;
}

/**
 * Each Droid with each client library in the suite `droid`. `npm test` has the SDK only, which sends what our
 * library would hold back; the other files use our library.
 */
function scenarios(): readonly Scenario[] {
  const all: readonly DriverName[] = ["the official SDK", "our library", "our library on v2"];
  return servedDroids().flatMap((version) => rows(all).map((driver) => ({ version, driver })));
}

/** Whether a driver speaks v2. */
export function isV2(driver: DriverName): boolean {
  return driver === "our library on v2";
}

/** The status of a tool call that was cancelled: v1 has none of its own. */
export function cancelledStatus(driver: DriverName): "cancelled" | "failed" {
  return isV2(driver) ? "cancelled" : "failed";
}

/** Up to 0.117, Droid uses an older form of its protocol. */
export function isOld(version: DroidVersion): boolean {
  return version === "0.99.0" || version === "0.117.0";
}

/** Tests with each Droid and each client library. */
export function describeScenarios(
  name: string,
  tests: (scenario: Scenario & Starters) => void,
): void {
  describe.skipIf(droidUnavailable() !== undefined).each(scenarios())(
    `${name}, on $version with $driver`,
    { timeout: LONG, retry: CRASH },
    (scenario) => {
      const start: Start<Rig> = (options) => rig({ ...scenario, ...options });
      tests({ ...scenario, start, open: async (options) => withSession(await start(options)) });
    },
  );
}

async function withSession(started: Rig): Promise<Rig & { readonly session: string }> {
  return { ...started, session: await started.client.newSession(started.home.workspace) };
}

const { later, cleanUp } = cleanups();
/** Registers a cleanup for the end of the test. */
export { later };
afterEach(cleanUp);

export interface RigOptions {
  readonly version?: DroidVersion;
  /** Default: our library. */
  readonly driver?: DriverName;
  readonly script?: readonly ScriptEntry[];
  readonly model?: ModelServerOptions;
  readonly home?: Partial<DroidHomeOptions>;
  readonly adapter?: AdapterOptions;
  /** Variables for Droid besides those of its home. */
  readonly env?: Readonly<Record<string, string>>;
  readonly capabilities?: ClientCapabilities;
  readonly answers?: Answers;
  /** Whether our library uses the unstable protocol. Default: false. */
  readonly unstable?: boolean;
  /** Files to create in the workspace first, by name. */
  readonly files?: Readonly<Record<string, string>>;
}

export interface Rig {
  readonly client: Driver;
  readonly model: ModelServer;
  readonly home: DroidHome;
  readonly executable: string;
  /** The response to `initialize`. */
  readonly initialized: Json;
  /** Disconnects the client, which ends the adapter. */
  end(): Promise<void>;
  /** Ends this adapter and starts another one on the same home, like a restarted editor. */
  again(options?: Pick<RigOptions, "adapter" | "capabilities" | "answers">): Promise<Rig>;
}

export function rig(options: RigOptions = {}): Promise<Rig> {
  return build(options, later);
}

/** One session for the tests of a block that need none of their own. */
export function sharedSession(
  options: RigOptions,
): () => Promise<Rig & { readonly session: string }> {
  return shared(async (own) => withSession(await build(options, own)));
}

async function build(options: RigOptions, own: Later): Promise<Rig> {
  return connect(await prepare(options, own), options, own);
}

type Prepared = Pick<Rig, "executable" | "model" | "home">;

/** Starts the model, and creates a home with the files. */
export async function prepare(
  options: Pick<RigOptions, "version" | "script" | "model" | "home" | "files">,
  own: Later,
): Promise<Prepared> {
  const executable = await ensureDroid(options.version ?? newestDroid);
  const model = await ModelServer.start(options.script ?? [], options.model);
  own(() => model.close());
  const home = await createDroidHome({ modelUrl: model.url, ...options.home });
  own(() => home.remove());
  for (const [name, text] of Object.entries(options.files ?? {}))
    await writeFile(`${home.workspace}/${name}`, text);
  return { executable, model, home };
}

/** Serves Droid on a channel. `ended` resolves once nothing of it is left. */
export function serveOn(
  { executable, home }: Prepared,
  options: Pick<RigOptions, "adapter" | "env">,
) {
  const [channel, theirs] = memoryPair();
  const served = serveDroid(theirs, {
    executable,
    model: home.modelId,
    env: { ...home.env, ...options.env },
    ahead: false,
    version: "0.0.0-test",
    ...options.adapter,
  });
  const ended = async (): Promise<void> => {
    await served;
    expect(await processesWithHome(home.home), "processes left over").toEqual([]);
  };
  return { channel, ended };
}

async function connect(prepared: Prepared, options: RigOptions, own: Later): Promise<Rig> {
  const { channel, ended: adapterEnded } = serveOn(prepared, options);
  const { driver = "our library", capabilities = {}, answers = {}, unstable = false } = options;
  const client: Driver = new DRIVERS[driver]({ channel, capabilities, answers, unstable });
  let ended: Promise<void> | undefined;
  const end = (): Promise<void> => {
    ended ??= (async () => {
      await client.end();
      await adapterEnded();
      client.judge.verify();
    })();
    return ended;
  };
  own(end);
  const initialized = await client.start();
  const again: Rig["again"] = async (other = {}) => {
    await end();
    return connect(prepared, { ...options, ...other }, own);
  };
  return { ...prepared, client, initialized, end, again };
}
