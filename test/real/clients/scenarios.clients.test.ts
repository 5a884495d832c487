import { access, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { buildBin, type BuiltBin } from "../../cli/support/bin.ts";
import { agentNames, agents, type AgentName, type Stage } from "./agents.ts";
import { scenarioTitles, type ForeignClient, type ScenarioName } from "./client.ts";
import { clients } from "./clients.ts";

let dragoman: BuiltBin;
let droidAcp: BuiltBin;
beforeAll(async () => {
  dragoman = await buildBin();
  droidAcp = await buildBin("droid-acp");
});
afterAll(async () => {
  await dragoman.remove();
  await droidAcp.remove();
});

const rows = clients
  .filter(({ unavailable }) => unavailable?.() === undefined)
  .flatMap((client) => agentNames.map((agent) => [client.name, agent, client] as const));

describe.each(rows)("%s on %s", (_name, agentName, client) => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await agents[agentName]({ dragoman: dragoman.file, droidAcp: droidAcp.file });
  });
  afterEach(() => stage.dispose());

  /** Defines the test of some scenarios, which share one run of the client. */
  const scenario = (names: readonly ScenarioName[], run: () => Promise<Cells>): void => {
    const offered = names.filter((name) => offers(client, agentName, name));
    const title = names.map((name) => scenarioTitles[name]).join(", then ");
    it(title, async ({ task, skip }) => {
      const cells = offered.length > 0 ? await run() : {};
      task.meta.clients = names.map((name) => ({
        client: client.name,
        agent: agentName,
        scenario: name,
        outcome: offered.includes(name) ? (cells[name] ?? "works") : "not offered",
      }));
      if (offered.length === 0) skip("not offered");
    });
  };

  scenario(["prompt"], async () => {
    const { say, expect: words } = stage.answer();
    const [opened, turn] = await client.run(stage.agent, [
      { do: "open" },
      { do: "prompt", text: say },
    ]);
    expect(opened?.sessionId).toBeTruthy();
    expect(turn?.text).toContain(words);
    expect(turn?.stopReason ?? "end_turn").toBe("end_turn");
    return {};
  });

  scenario(["deny"], async () => {
    const { say, denied } = stage.write();
    const [, turn] = await client.run(stage.agent, [
      { do: "open" },
      { do: "prompt", text: say, permission: "deny" },
    ]);
    expect(turn?.text).toContain(denied);
    await expect(access(made(stage))).rejects.toThrow("ENOENT");
    return { deny: stopReasonOf(turn?.stopReason) };
  });

  scenario(["allow"], async () => {
    const { say, allowed } = stage.write();
    const [, turn] = await client.run(stage.agent, [
      { do: "open" },
      { do: "prompt", text: say, permission: "allow" },
    ]);
    expect(turn?.text).toContain(allowed);
    expect(await readFile(made(stage), "utf8")).toBe("by the agent\n");
    expect(turn?.stopReason ?? "end_turn").toBe("end_turn");
    return {};
  });

  scenario(["cancel", "promptAgain"], async () => {
    const canCancel = client.notOffered.cancel === undefined;
    const first = canCancel ? stage.wait() : stage.answer();
    const answer = stage.answer();
    const [, cancelled, again] = await client.run(stage.agent, [
      { do: "open" },
      { do: "prompt", text: first.say, ...(canCancel && { cancelAt: first.expect }) },
      { do: "prompt", text: answer.say },
    ]);
    if (canCancel) {
      await stage.verifyCancelled();
      expect(cancelled?.stopReason ?? "cancelled").toBe("cancelled");
    }
    expect(again?.text).toContain(answer.expect);
    expect(again?.stopReason ?? "end_turn").toBe("end_turn");
    return { cancel: stopReasonOf(cancelled?.stopReason) };
  });

  scenario(["load"], async () => {
    const words = "the word is heliotrope";
    stage.answer();
    const [opened] = await client.run(stage.agent, [
      { do: "open" },
      { do: "prompt", text: `Remember: ${words}` },
    ]);
    const sessionId = opened?.sessionId ?? "";
    const { say, expect: answer } = stage.answer();
    const [loaded, turn] = await client.run(stage.agent, [
      { do: "load", sessionId },
      { do: "prompt", text: say },
    ]);
    expect(loaded?.sessionId).toBe(sessionId);
    expect(turn?.text).toContain(answer);
    await stage.verifyRemembers(sessionId, words);
    return {};
  });
});

type Cells = Partial<Record<ScenarioName, string>>;

function made({ agent }: Stage): string {
  return join(agent.cwd, "made.txt");
}

function stopReasonOf(stopReason: string | undefined): string {
  return stopReason === undefined ? "works" : `\`${stopReason}\``;
}

/** A client with a fixed prompt cannot make the demo agent ask for permission. */
function offers(client: ForeignClient, agent: AgentName, scenario: ScenarioName): boolean {
  const asks = scenario === "allow" || scenario === "deny";
  if (asks && agent === "demo agent" && client.hasFixedPrompt === true) return false;
  return client.notOffered[scenario] === undefined;
}
