import { expect, test } from "vitest";
import type { HubEvent } from "../../../src/host/hub/index.ts";
import { at, OPEN, prompt, RawAgent, started, testHub, update, withSession } from "./rig.ts";

const QUICK = { backoffMs: 1 };

/** An agent that dies when it is asked to. */
function mortal(capabilities = { loadSession: true }): RawAgent {
  const agent = new RawAgent({
    "session/prompt": ({ params }, run) => {
      const text = at(params, "prompt");
      if (JSON.stringify(text).includes("die")) void run.channel.close();
      else {
        run.send(update(String(at(params, "sessionId")), "alive"));
        return { stopReason: "end_turn" };
      }
      return undefined;
    },
  });
  agent.capabilities = capabilities;
  return agent;
}

test("reports the end of an agent to the running prompt, and opens its session again without the replay", async () => {
  const agent = mortal();
  const { client, sessionId } = await withSession(testHub({ limits: QUICK }), agent);
  const died = await client.request("session/prompt", prompt(sessionId, "die"));
  expect(at(died, "error", "code")).toBe(-32005);
  expect(at(died, "error", "message")).toMatch(/raw ended: .*outcome of the prompt is unknown/);
  expect(at(died, "error", "data", "reason")).toBe("agent_ended");
  const next = await client.request("session/prompt", prompt(sessionId, "again"));
  expect(at(next, "result", "stopReason")).toBe("end_turn");
  expect(agent.runs).toHaveLength(2);
  expect(client.texts).toEqual(["alive"]);
  expect(agent.prompts).toEqual(["die", "again"]);
});

test("prefers session/resume, with the parameters of the session", async () => {
  const agent = mortal();
  agent.capabilities = { loadSession: true, sessionCapabilities: { resume: {} } };
  const { client, sessionId } = await withSession(testHub({ limits: QUICK }), agent);
  await client.request("session/prompt", prompt(sessionId, "die"));
  await client.request("session/prompt", prompt(sessionId, "again"));
  const resumed = agent.run.frames.find(({ method }) => method === "session/resume");
  expect(at(resumed, "params")).toEqual({ sessionId, cwd: "/work", mcpServers: [] });
});

test("sets the mode and the options again that a client had chosen", async () => {
  const agent = new RawAgent({
    "session/set_mode": () => ({}),
    "session/set_config_option": () => ({ configOptions: [] }),
    "session/load": () => ({ modes: { currentModeId: "default" }, configOptions: [] }),
  });
  const { client, sessionId } = await withSession(testHub({ limits: QUICK }), agent);
  await client.request("session/set_mode", { sessionId, modeId: "plan" });
  await client.request("session/set_config_option", { sessionId, configId: "model", value: "big" });
  await agent.run.channel.close();
  await client.request("session/prompt", prompt(sessionId, "again"));
  const set = agent.run.frames.filter(({ method }) => String(method).startsWith("session/set"));
  expect(set.map(({ params }) => params)).toEqual([
    { sessionId, modeId: "plan" },
    { sessionId, configId: "model", value: "big" },
  ]);
});

test("says so if the agent cannot open the session again, and does not send the prompt", async () => {
  const agent = mortal();
  agent.capabilities = {};
  const { client, sessionId } = await withSession(testHub({ limits: QUICK }), agent);
  await client.request("session/prompt", prompt(sessionId, "die"));
  const lost = await client.request("session/prompt", prompt(sessionId, "again"));
  expect(at(lost, "error", "data", "reason")).toBe("session_lost");
  expect(at(lost, "error", "message")).toMatch(/cannot open sessions again/);
  expect(agent.prompts).toEqual(["die"]);
});

test("refuses an agent that comes back with fewer capabilities than clients were promised", async () => {
  const agent = mortal();
  const { client, sessionId } = await withSession(testHub({ limits: QUICK }), agent);
  agent.capabilities = {};
  await client.request("session/prompt", prompt(sessionId, "die"));
  const refused = await client.request("session/prompt", prompt(sessionId, "again"));
  expect(at(refused, "error", "message")).toMatch(/no longer offers loadSession/);
});

test("replaces an agent that ignores a cancel, and the turn ends as cancelled", async () => {
  const { agent, client, sessionId } = await started(
    { "session/prompt": OPEN },
    { limits: { ...QUICK, cancelMs: 5 } },
  );
  const turn = client.request("session/prompt", prompt(sessionId, "work"));
  await agent.run.untilMethod("session/prompt");
  client.notify("session/cancel", { sessionId });
  expect(at(await turn, "result", "stopReason")).toBe("cancelled");
  await agent.run.channel.closed;
});

test("replaces an agent that does not answer a request in time", async () => {
  const agent = new RawAgent({ "session/list": () => undefined });
  const events: HubEvent[] = [];
  const hub = testHub({
    limits: { ...QUICK, requestMs: 5 },
    onEvent: (event) => events.push(event),
  });
  const { client } = await withSession(hub, agent);
  const answer = await client.request("session/list", {});
  expect(at(answer, "error", "code")).toBe(-32603);
  expect(events).toContainEqual(
    expect.objectContaining({ type: "agent_ended", cause: "unresponsive" }),
  );
});

test("ends an agent that is silent for too long during a turn", async () => {
  const { client, sessionId } = await started(
    { "session/prompt": OPEN },
    { limits: { ...QUICK, turnIdleMs: 5 } },
  );
  const answer = await client.request("session/prompt", prompt(sessionId, "work"));
  expect(at(answer, "error", "code")).toBe(-32005);
});

test("ends an agent that sends only text that is not JSON", async () => {
  const agent = new RawAgent();
  const hub = testHub({ limits: { ...QUICK, maxInvalidLines: 100 } });
  await withSession(hub, agent);
  const { run } = agent;
  for (let count = 0; count < 200; count++) run.send("y");
  expect(await run.channel.closed).toEqual({ kind: "ended" });
});

test("ends an agent with too many unanswered requests", async () => {
  const agent = new RawAgent();
  const hub = testHub({ limits: { ...QUICK, maxAgentRequests: 10 } });
  const { sessionId } = await withSession(hub, agent);
  const { run } = agent;
  for (let id = 0; id < 20; id++) {
    run.send({ jsonrpc: "2.0", id, method: "session/request_permission", params: { sessionId } });
  }
  expect(await run.channel.closed).toEqual({ kind: "ended" });
});

test("gives an agent up that fails again and again", async () => {
  const agent = mortal();
  const events: HubEvent[] = [];
  const hub = testHub({
    limits: { ...QUICK, maxFailures: 3 },
    onEvent: (event) => events.push(event),
  });
  const { client, sessionId } = await withSession(hub, agent);
  for (let count = 0; count < 3; count++) {
    await client.request("session/prompt", prompt(sessionId, "die"));
  }
  const refused = await client.request("session/prompt", prompt(sessionId, "again"));
  expect(at(refused, "error", "message")).toMatch(/failed 3 times within 5 minutes/);
  expect(events.at(-1)?.type).toBe("turn_ended");
  expect(events).toContainEqual(
    expect.objectContaining({ type: "agent_start_failed", retryMs: undefined }),
  );
  expect(hub.agents[0]?.state).toBe("failed");
});

test("ends an idle agent under its client, and starts it again on the next use", async () => {
  const { agent, hub, client, sessionId } = await started(
    {},
    { limits: { idleMs: 5, restWithClients: true } },
  );
  await agent.run.channel.closed;
  expect(hub.agents[0]?.state).toBe("resting");
  const answer = await client.request("session/prompt", prompt(sessionId, "hello"));
  expect(at(answer, "result", "stopReason")).toBe("end_turn");
  expect(client.texts).toEqual(["echo hello"]);
  expect(agent.runs.length).toBeGreaterThan(1);
});

test("cancels the turn of a client that is gone", async () => {
  const { agent, client, sessionId } = await started(
    { "session/prompt": OPEN },
    { limits: { idleMs: 60_000 } },
  );
  void client.request("session/prompt", prompt(sessionId, "work")).catch(() => {});
  await agent.run.untilMethod("session/prompt");
  await client.lose();
  expect(at(await agent.run.untilMethod("session/cancel"), "params", "sessionId")).toBe(sessionId);
});

test("drains: refuses new turns, and closes when the running ones have ended", async () => {
  const { agent, hub, client, sessionId } = await started({ "session/prompt": OPEN });
  const turn = client.request("session/prompt", prompt(sessionId, "work"), "turn");
  const running = await agent.run.untilMethod("session/prompt");
  const drained = hub.drain(60_000);
  const refused = await client.request("session/prompt", prompt(sessionId, "more"));
  expect(at(refused, "error", "code")).toBe(-32004);
  agent.run.send({ jsonrpc: "2.0", id: running["id"], result: { stopReason: "end_turn" } });
  expect(at(await turn, "result", "stopReason")).toBe("end_turn");
  await drained;
  await agent.run.channel.closed;
});
