/** Serves an agent to the SDK's v2 client in this process. */
import { onTestFinished } from "vitest";
import { memoryPair, serveAgent, type AgentDefinition } from "../../../src/entries/agent.ts";
import { SdkV2Client, type SdkV2Options } from "../../support/sdk-v2-client.ts";
import { type Prompt, promptAgent } from "../definitions.ts";

/** Serves a definition, or an agent that only answers prompts. */
export async function servedOnV2<S>(
  agent: AgentDefinition<S> | Prompt,
  options: SdkV2Options = {},
): Promise<SdkV2Client> {
  const [ours, theirs] = memoryPair();
  const served =
    typeof agent === "function"
      ? serveAgent(theirs, promptAgent(agent))
      : serveAgent(theirs, agent);
  const client = new SdkV2Client(ours, options);
  onTestFinished(async () => {
    await client.close();
    await served;
  });
  await client.initialize();
  return client;
}

/** Opens a session too. `from` is the number of frames until then. */
export async function openedOnV2<S>(
  agent: AgentDefinition<S> | Prompt,
  options: SdkV2Options = {},
) {
  const client = await servedOnV2(agent, options);
  const sessionId = await client.newSession();
  return { client, sessionId, from: client.frames.length };
}
