// acpx is a command. With `--format json` it prints the frames of a prompt.
import { join } from "node:path";
import type { AgentCommand, ForeignClient, PromptStep, Step, StepResult } from "../client.ts";
import { modulesOf, node24, runToEnd, type Output, type RunOptions } from "../program.ts";

export const acpx: ForeignClient = {
  name: "acpx",
  source: "`acpx`",
  version: "0.19.1",
  install: { folder: "acpx", package: "acpx", executables: [node24] },
  notOffered: {},
  remarks: [
    "Starts the agent once per session and once more for its first prompt; a process in the background then keeps the agent.",
    "Also works through `dragoman proxy`, on droid-acp and on OpenCode 1.18.33, and goes on after the agent was killed between two prompts.",
  ],
  run: async (agent, steps) => {
    const acpx = new Acpx(agent);
    const results: StepResult[] = [];
    try {
      for (const step of steps) results.push(await acpx.do(step));
    } finally {
      await acpx.run(["sessions", "close"]);
    }
    // acpx opens another session for the first prompt of a new one.
    const [, ...turns] = results;
    return [{ sessionId: acpx.sessionId }, ...turns];
  },
};

/** acpx in one folder, with one session. */
export class Acpx {
  sessionId = "";
  readonly #agent: AgentCommand;

  constructor(agent: AgentCommand) {
    this.#agent = agent;
  }

  async run(words: readonly string[], onOutput?: RunOptions["onOutput"]): Promise<Output> {
    const modules = modulesOf("acpx");
    const { command, args, env, cwd } = this.#agent;
    const line = [command, ...args].join(" ");
    const cli = join(modules, "acpx/dist/cli.js");
    const options = ["--agent", line, "--format", "json", ...words];
    const settings = { env, cwd, ...(onOutput && { onOutput }) };
    return runToEnd(join(modules, node24), [cli, ...options], settings);
  }

  async do(step: Step): Promise<StepResult> {
    switch (step.do) {
      case "open":
        await this.#succeed(["sessions", "new"]);
        return {};
      case "load":
        await this.#succeed(["sessions", "new", "--resume-session", step.sessionId]);
        return {};
      case "prompt":
        return this.#prompt(step);
    }
  }

  async #prompt(step: PromptStep): Promise<StepResult> {
    let cancelling: Promise<unknown> | undefined;
    const policy = step.permission === "deny" ? "--deny-all" : "--approve-all";
    const { stdout } = await this.run([policy, "prompt", step.text], (printed) => {
      if (step.cancelAt === undefined || !readTurn(printed).text.includes(step.cancelAt)) return;
      cancelling ??= this.run(["cancel"]);
    });
    await cancelling;
    const { sessionId, text, stopReason } = readTurn(stdout);
    this.sessionId = sessionId;
    return { text, ...(stopReason !== undefined && { stopReason }) };
  }

  async #succeed(words: readonly string[]): Promise<void> {
    const { code, stdout, stderr } = await this.run(words);
    if (code !== 0) throw new Error(`acpx ${words.join(" ")} failed:\n${stdout}\n${stderr}`);
  }
}

interface Frame {
  readonly method?: string;
  readonly params?: {
    readonly sessionId?: string;
    readonly update?: { readonly sessionUpdate: string; readonly content?: { text?: string } };
  };
  readonly result?: { readonly stopReason?: string };
}

/** Reads the frames that acpx has printed so far. */
function readTurn(stdout: string): { sessionId: string; text: string; stopReason?: string } {
  const lines = stdout.slice(0, stdout.lastIndexOf("\n") + 1).split("\n");
  const frames = lines.filter((line) => line !== "").map((line): Frame => JSON.parse(line));
  const start = frames.findIndex(({ method }) => method === "session/prompt");
  const turn = start < 0 ? [] : frames.slice(start);
  const stopReason = turn.find(({ result }) => result?.stopReason !== undefined)?.result
    ?.stopReason;
  return {
    sessionId: frames[start]?.params?.sessionId ?? "",
    text: turn
      .flatMap(({ params }) => params?.update ?? [])
      .filter(({ sessionUpdate }) => sessionUpdate === "agent_message_chunk")
      .map(({ content }) => content?.text ?? "")
      .join(""),
    ...(stopReason !== undefined && { stopReason }),
  };
}
