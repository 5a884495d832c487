// An agent that keeps every rule of ACP that `dragoman check` judges, with the model at MODEL_URL (OpenAI chat).
// With `--defect NAME` it breaks one rule; model-mutants.ts lists the names.
import { once } from "node:events";
import { serve } from "./model-agent/serve.mjs";

const at = process.argv.indexOf("--defect");
const { stdin, stdout } = process;
const agent = serve({
  defect: at === -1 ? undefined : process.argv[at + 1],
  env: process.env,
  cwd: process.cwd(),
  output: {
    write: (line) => stdout.write(line),
    isFull: () => stdout.writableNeedDrain,
    drained: () => once(stdout, "drain"),
  },
});
stdin.on("data", (chunk) => agent.read(chunk));
stdin.on("end", () => {
  if (agent.end()) setImmediate(() => process.exit(0));
  else setInterval(() => {}, 1000);
});
