// acpx on real agents, with `dragoman proxy` in the place of the agent.
import { readFile } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { processesWithHome } from "../../support/droid/leftovers.ts";
import { agents, openCodeStage, type Stage } from "./agents.ts";
import { builtBins } from "./bins.ts";
import { Acpx, acpx } from "./clients/acpx.ts";
import { allow, cancel, deny, load, prompt } from "./scenarios.ts";

const bins = builtBins();

const stages = {
  "droid-acp": () => agents["droid-acp"](bins),
  OpenCode: openCodeStage,
};

/** OpenCode starts slowly, and each scenario starts it up to four times. */
const LONG = 300_000;

describe.each(["droid-acp", "OpenCode"] as const)("acpx through a proxy on %s", (name) => {
  let stage: Stage;
  beforeEach(async () => {
    const direct = await stages[name]();
    const { command, args } = direct.agent;
    const proxy = [bins.dragoman, "proxy", "--", command, ...args];
    stage = { ...direct, agent: { ...direct.agent, command: process.execPath, args: proxy } };
  });
  afterEach(() => stage.dispose());

  it.each(Object.entries({ prompt, deny, allow, cancel, load }))(
    "%s",
    { timeout: LONG },
    async (_, scenario) => {
      await scenario(acpx, stage);
    },
  );

  it("goes on after the agent was killed between two prompts", { timeout: LONG }, async () => {
    const { HOME = "" } = stage.agent.env;
    const words = "the word is heliotrope";
    const client = new Acpx(stage.agent);
    try {
      await client.do({ do: "open" });
      stage.answer();
      await client.do({ do: "prompt", text: `Remember: ${words}` });
      for (const pid of await agentsIn(HOME, name)) process.kill(pid, "SIGKILL");
      // The proxy knows of the end once everything that the agent started has ended too.
      await expect.poll(() => workersIn(HOME), { timeout: 30_000 }).toEqual([]);
      const { say, expect: answer } = stage.answer();
      expect((await client.do({ do: "prompt", text: say })).text).toContain(answer);
    } finally {
      await client.run(["sessions", "close"]);
    }
    await stage.verifyRemembers("", words);
  });
});

/** The commands of all processes except the proxy and the client. */
async function workersIn(home: string): Promise<readonly string[]> {
  const commands = await Promise.all(
    (await processesWithHome(home)).map((pid) =>
      readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => ""),
    ),
  );
  return commands.filter((line) => line !== "" && !/\0proxy\0|acpx/.test(line));
}

/** The agent's own process, which is a child of the proxy. */
async function agentsIn(home: string, name: string): Promise<readonly number[]> {
  const found: number[] = [];
  for (const pid of await processesWithHome(home)) {
    const command = (await readFile(`/proc/${pid}/cmdline`, "utf8")).split("\0");
    const word = name === "OpenCode" ? "opencode" : "droid-acp.mjs";
    if (!command.includes("proxy") && command.some((part) => part.endsWith(word))) found.push(pid);
  }
  return found;
}
