/** Runs droid-acp in this process, between the SDK's v2 client and a real Droid with a scripted model. */
import type { DroidVersion } from "../../support/droid/install.ts";
import { SdkV2Client, type SdkV2Options } from "../../support/sdk-v2-client.ts";
import { later, prepare, type Rig, type RigOptions, serveOn } from "./rig.ts";

type V2RigOptions = SdkV2Options & Pick<RigOptions, "script" | "home" | "adapter" | "files">;

interface V2Rig extends Pick<Rig, "model" | "home" | "initialized"> {
  readonly client: SdkV2Client;
}

export async function v2Rig(version: DroidVersion, options: V2RigOptions = {}): Promise<V2Rig> {
  const prepared = await prepare({ ...options, version }, later);
  const { channel, ended } = serveOn(prepared, options);
  const client = new SdkV2Client(channel, { schema: "v2 unstable", ...options });
  later(async () => {
    await client.close();
    await ended();
  });
  return { ...prepared, client, initialized: await client.initialize() };
}
