// Providers on agents in this process, so that tests see both ends.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach } from "vitest";
import {
  type AgentDefinition,
  memoryPair,
  serveAgent,
  type Turn,
} from "../../../src/entries/agent.ts";
import type { ContentBlock } from "../../../src/protocol/acp/index.ts";
import { type AcpProvider, createAcpProvider } from "../../../src/entries/ai.ts";
import type { AcpProviderSettings } from "../../../src/client/ai/index.ts";
import type { ConnectionConfig } from "../../../src/client/index.ts";
import { demoAgent } from "../../../src/apps/demo-agent/agent.ts";

const cleanups: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** A provider for an agent that this process serves. */
export function provide<S>(
  agent: AgentDefinition<S>,
  options: AcpProviderSettings & ConnectionConfig = {},
): AcpProvider {
  const [clientEnd, agentEnd] = memoryPair();
  const served = serveAgent(agentEnd, agent);
  const provider = createAcpProvider({ channel: clientEnd, ...options });
  cleanups.push(async () => {
    await provider.close();
    await clientEnd.close();
    await served;
  });
  return provider;
}

/** A folder that is removed after the test. */
export async function scratchFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "dragoman-ai-"));
  cleanups.push(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A provider for the demo agent, in a folder with one file. */
export async function provideDemo(
  options: ConnectionConfig & AcpProviderSettings = {},
): Promise<AcpProvider> {
  const cwd = await scratchFolder();
  await writeFile(join(cwd, "README.md"), "# Orchard\n\nAn orchard with a ladder.\n");
  return provide(demoAgent({ version: "1", exit: () => {} }), { session: { cwd }, ...options });
}

/** A prompt that an agent received, and the session it was for. */
export interface Received {
  readonly sessionId: string;
  readonly prompt: readonly ContentBlock[];
}

/** An agent that answers with a function and records the prompts. */
export function recordingAgent(
  answer: (turn: Turn<object>) => Promise<void> = (turn) => turn.say(`you said: ${turn.text}`),
  more: Partial<AgentDefinition<object>> = {},
): { readonly agent: AgentDefinition<object>; readonly received: Received[] } {
  const received: Received[] = [];
  const agent: AgentDefinition<object> = {
    info: { name: "recording", version: "1" },
    newSession: () => ({}),
    prompt: async (turn) => {
      received.push({ sessionId: turn.session.id, prompt: turn.prompt });
      await answer(turn);
    },
    ...more,
  };
  return { agent, received };
}

/** The text blocks of a prompt, one per line. */
export function textsOf({ prompt }: Received): string {
  return prompt.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}
