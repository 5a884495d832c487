// A program that uses @mcpc-tech/acp-ai-provider as its documentation shows, for `dragoman check client`:
//
//   node check-ai-provider.mjs MODULES --agent COMMAND [--load ID]
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { agent: { type: "string" }, load: { type: "string" } },
});
const load = (path) => import(pathToFileURL(join(positionals[0], path)).href);
const { createACPProvider } = await load("@mcpc-tech/acp-ai-provider/index.mjs");
const { streamText } = await load("ai/dist/index.mjs");

const [command, ...args] = values.agent.split(" ");
const provider = createACPProvider({
  command,
  args,
  env: process.env,
  session: { cwd: process.cwd(), mcpServers: [] },
  existingSessionId: values.load,
});
const abort = new AbortController();
process.on("SIGINT", () => abort.abort());
const result = streamText({
  model: provider.languageModel(),
  prompt: "hello",
  abortSignal: abort.signal,
  onError: ({ error }) => {
    throw error;
  },
});
for await (const chunk of result.textStream) process.stdout.write(chunk);
const reason = await result.finishReason;
if (reason !== "stop") process.stderr.write(`finished: ${reason}\n`);
provider.cleanup();
