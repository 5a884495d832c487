import { fileURLToPath } from "node:url";
import { commandSubject } from "../../../src/check/subject/command.ts";
import type { AgentSubject } from "../../../src/check/subject/subject.ts";

const program = fileURLToPath(new URL("model-agent.mjs", import.meta.url));

/** The right agent with a model, or with `--defect` or `--variant` another one. */
export function modelAgent(...args: readonly string[]): AgentSubject {
  return commandSubject({
    command: process.execPath,
    args: [program, ...args],
    modelEnv: { MODEL_URL: "{url}/v1" },
  });
}
