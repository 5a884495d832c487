// The agents without a defect pass every requirement that they are named for, and break none.
import { describe, expect, it } from "vitest";
import { checkAgent } from "../../../src/conformance/check/index.ts";
import {
  type AgentRig,
  type AgentRigName,
  agentRigs,
  runOf,
} from "../../support/check/agent-rigs.ts";
import { idsOf } from "../../support/check/correct-agents.ts";

const rigs = Object.entries<AgentRig>(agentRigs).map(
  ([name, { protocol }]) => [name, protocol] as const,
);

function isRigName(name: string): name is AgentRigName {
  return Object.hasOwn(agentRigs, name);
}

describe.concurrent("an agent without a defect", () => {
  it.each(rigs)("%s keeps every rule", { timeout: 300_000 }, async (name, protocol) => {
    if (!isRigName(name)) throw new Error(`no agent ${name}`);
    const ids = idsOf(name, protocol);
    // Agents in this process are judged as a whole. A program is slower, so it is only judged by its own.
    const run = runOf(name);
    const { results } = await checkAgent(run.subject.isLocal ? { ...run, ids } : run);
    const wrong = results.filter(
      ({ id, status }) =>
        status === "failed" ||
        status === "unstable" ||
        status === "fault" ||
        (ids.has(id) && status !== "passed"),
    );
    expect(wrong).toEqual([]);
  });
});
