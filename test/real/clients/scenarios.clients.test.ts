import { afterEach, beforeEach, describe, it } from "vitest";
import { agentNames, agents, type AgentName, type Stage } from "./agents.ts";
import { builtBins } from "./bins.ts";
import { scenarioTitles, type ForeignClient, type ScenarioName } from "./client.ts";
import { clients } from "./clients.ts";
import { allow, cancel, type Cells, deny, load, prompt } from "./scenarios.ts";

const bins = builtBins();

const rows = clients
  .filter(({ unavailable }) => unavailable?.() === undefined)
  .flatMap((client) => agentNames.map((agent) => [client.name, agent, client] as const));

describe.each(rows)("%s on %s", (_name, agentName, client) => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await agents[agentName](bins);
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

  scenario(["prompt"], () => prompt(client, stage));
  scenario(["deny"], () => deny(client, stage));
  scenario(["allow"], () => allow(client, stage));
  scenario(["cancel", "promptAgain"], () => cancel(client, stage));
  scenario(["load"], () => load(client, stage));
});

/** A client with a fixed prompt cannot make the demo agent ask for permission. */
function offers(client: ForeignClient, agent: AgentName, scenario: ScenarioName): boolean {
  const asks = scenario === "allow" || scenario === "deny";
  if (asks && agent === "demo agent" && client.hasFixedPrompt === true) return false;
  return client.notOffered[scenario] === undefined;
}
