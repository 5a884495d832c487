/** Serves a definition to the SDK's v2 client in this process. */
import { onTestFinished } from "vitest";
import { memoryPair, serveAgent, type AgentDefinition } from "../../../src/entries/agent.ts";
import { SdkV2Client, type SdkV2Options } from "../../support/sdk-v2-client.ts";

export async function servedOnV2<S>(
  definition: AgentDefinition<S>,
  options: SdkV2Options = {},
): Promise<SdkV2Client> {
  const [ours, theirs] = memoryPair();
  const served = serveAgent(theirs, definition);
  const client = new SdkV2Client(ours, options);
  onTestFinished(async () => {
    await client.close();
    await served;
  });
  await client.initialize();
  return client;
}
