// The example client of the official SDK, unchanged. It starts `npx tsx agent.ts`, sends one fixed prompt,
// asks on the terminal about permissions, and exits.
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { build } from "rolldown";
import type { AgentCommand, ForeignClient, Step, StepResult } from "../client.ts";
import { modulesOf, runToEnd } from "../program.ts";

const remarks = [
  'Sends the fixed prompt "Hello, agent!" and exits after one turn. That prompt does not make the demo agent ask for permission.',
];
const once = "it exits after one turn";
const notOffered = {
  cancel: "it has no way to cancel",
  promptAgain: once,
  load: "it always opens a new session",
};

/** The newest version on npm that contains the example. */
export const newestExample: ForeignClient = {
  name: "SDK example",
  source: "`@agentclientprotocol/sdk`",
  version: "1.9.0",
  install: { folder: "sdk-example", package: "@agentclientprotocol/sdk", executables: [] },
  notOffered,
  hasFixedPrompt: true,
  remarks: [...remarks, "Later versions on npm do not contain the example."],
  run: (agent, steps) => {
    const file = join(modulesOf("sdk-example"), "@agentclientprotocol/sdk/dist/examples/client.js");
    return runExample(file, agent, steps);
  },
};

/** The oldest version contains the example only in TypeScript. */
export const oldestExample: ForeignClient = {
  name: "oldest SDK example",
  source: "`@zed-industries/agent-client-protocol`",
  version: "0.1.2",
  install: {
    folder: "sdk-oldest",
    package: "@zed-industries/agent-client-protocol",
    executables: [],
  },
  notOffered,
  hasFixedPrompt: true,
  remarks,
  run: async (agent, steps) => {
    const folder = await mkdtemp(join(tmpdir(), "dragoman-example-"));
    try {
      const source = "@zed-industries/agent-client-protocol/typescript/examples/client.ts";
      await build({
        input: join(modulesOf("sdk-oldest"), source),
        platform: "node",
        logLevel: "silent",
        output: { dir: folder, entryFileNames: "client.mjs" },
      });
      return await runExample(join(folder, "client.mjs"), agent, steps);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};

async function runExample(
  file: string,
  agent: AgentCommand,
  steps: readonly Step[],
): Promise<readonly StepResult[]> {
  const prompt = steps.find((step) => step.do === "prompt");
  const wanted = prompt?.permission === "allow" ? "allow_once" : "reject_once";
  let answered = false;
  const output = await runToEnd(process.execPath, [file], {
    env: await withNpx(agent),
    cwd: agent.cwd,
    onOutput: (stdout, write) => {
      if (answered || !stdout.includes("Choose an option: ")) return;
      answered = true;
      const [, choice = ""] = new RegExp(`(\\d+)\\. [^\\n]* \\(${wanted}\\)`).exec(stdout) ?? [];
      write(`${choice}\n`);
    },
  });
  const [, sessionId] = /Created session: (\S+)/.exec(output.stdout) ?? [];
  const [, stopReason] = /Agent completed with: (\S+)/.exec(output.stdout) ?? [];
  if (sessionId === undefined || stopReason === undefined)
    throw new Error(`the example failed:\n${output.stdout}\n${output.stderr}`);
  return [{ sessionId }, { text: output.stdout, stopReason }];
}

/** An environment in which `npx` starts the agent instead. */
async function withNpx({ command, args, env }: AgentCommand): Promise<Record<string, string>> {
  const folder = join(env["TMPDIR"] ?? tmpdir(), "npx");
  const file = join(folder, "npx");
  const words = [command, ...args].map((word) => `'${word.replaceAll("'", `'\\''`)}'`);
  await mkdir(folder, { recursive: true });
  await writeFile(file, `#!/bin/sh\nexec ${words.join(" ")}\n`);
  await chmod(file, 0o755);
  return { ...env, PATH: [folder, env["PATH"]].join(delimiter) };
}
