// Drives an agent with the AI SDK and the provider of @mcpc-tech/acp-ai-provider.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { doSteps, readTask } from "./steps.mjs";

const { command, args, cwd, modules, steps } = readTask();
const load = (path) => import(pathToFileURL(join(modules, path)).href);
const { createACPProvider } = await load("@mcpc-tech/acp-ai-provider/index.mjs");
const { streamText } = await load("ai/dist/index.mjs");

let provider;
const start = async (existingSessionId) => {
  provider = createACPProvider({
    command,
    args,
    env: process.env,
    session: { cwd, mcpServers: [] },
    existingSessionId,
    persistSession: true,
  });
  await provider.initSession();
  return { sessionId: provider.getSessionId() };
};

await doSteps(steps, {
  open: () => start(undefined),
  load: (sessionId) => start(sessionId),
  prompt: async (step) => {
    const result = streamText({
      model: provider.languageModel(),
      prompt: step.text,
      onError: ({ error }) => {
        throw error;
      },
    });
    let text = "";
    for await (const chunk of result.textStream) text += chunk;
    return { text };
  },
  end: () => provider.cleanup(),
});
