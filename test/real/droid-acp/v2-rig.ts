/** Runs droid-acp in this process, between the SDK's v2 client and a real Droid with a scripted model. */
import { writeFile } from "node:fs/promises";
import { expect } from "vitest";
import { serveDroid } from "../../../src/apps/droid-acp/index.ts";
import type { AdapterOptions } from "../../../src/apps/droid-acp/deps.ts";
import { memoryPair } from "../../../src/entries/agent.ts";
import {
  createDroidHome,
  type DroidHome,
  type DroidHomeOptions,
} from "../../support/droid/home.ts";
import { ensureDroid, type DroidVersion } from "../../support/droid/install.ts";
import { processesWithHome } from "../../support/droid/leftovers.ts";
import { ModelServer, type ScriptEntry } from "../../../src/conformance/model/index.ts";
import { SdkV2Client, type SdkV2Options } from "../../support/sdk-v2-client.ts";
import { later } from "./rig.ts";

export interface V2RigOptions extends SdkV2Options {
  readonly script?: readonly ScriptEntry[];
  readonly home?: Partial<DroidHomeOptions>;
  readonly adapter?: AdapterOptions;
  readonly files?: Readonly<Record<string, string>>;
}

export interface V2Rig {
  readonly client: SdkV2Client;
  readonly model: ModelServer;
  readonly home: DroidHome;
  /** The response to `initialize`. */
  readonly initialized: Record<string, unknown>;
}

export async function v2Rig(version: DroidVersion, options: V2RigOptions = {}): Promise<V2Rig> {
  const executable = await ensureDroid(version);
  const model = await ModelServer.start(options.script ?? []);
  later(() => model.close());
  const home = await createDroidHome({ modelUrl: model.url, ...options.home });
  later(() => home.remove());
  for (const [name, text] of Object.entries(options.files ?? {}))
    await writeFile(`${home.workspace}/${name}`, text);
  const [ours, theirs] = memoryPair();
  const served = serveDroid(theirs, {
    executable,
    model: home.modelId,
    env: home.env,
    ahead: false,
    version: "0.0.0-test",
    ...options.adapter,
  });
  const client = new SdkV2Client(ours, { schema: "v2 unstable", ...options });
  later(async () => {
    await client.close();
    await served;
    expect(await processesWithHome(home.home), "processes left over").toEqual([]);
  });
  return { client, model, home, initialized: await client.initialize() };
}
