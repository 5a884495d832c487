import { expect, test } from "vitest";
import { at, connect, RawAgent, testHub } from "./rig.ts";

/** An agent of version 2: a prompt is answered at once, and updates say when the turn is over. */
function v2Agent(): RawAgent {
  return new RawAgent({
    initialize: () => ({ protocolVersion: 2, capabilities: { session: {} }, info: { name: "v2" } }),
    "session/prompt": (_, run) => {
      run.send(state("running"));
      return { messageId: "m1" };
    },
  });
}

function state(name: string) {
  const update = { sessionUpdate: "state_update", state: name };
  return { jsonrpc: "2.0", method: "session/update", params: { sessionId: "s1", update } };
}

async function started() {
  const agent = v2Agent();
  const hub = testHub({ limits: { backoffMs: 1, cancelMs: 5 } });
  const client = connect(hub, agent);
  await client.request("initialize", { protocolVersion: 2, info: { name: "test" } });
  await client.request("session/new", { cwd: "/work" });
  const params = { sessionId: "s1", prompt: [{ type: "text", text: "hello" }] };
  await client.request("session/prompt", params);
  return { agent, hub, client, params };
}

test("knows from its updates that a session is busy", async () => {
  const { agent, hub, client } = await started();
  expect(hub.sessions[0]?.isBusy).toBe(true);
  agent.run.send(state("idle"));
  await client.until((frame) => at(frame, "params", "update", "state") === "idle");
  expect(hub.sessions[0]?.isBusy).toBe(false);
});

test("ends the turn with an update if the agent dies, and resumes the session", async () => {
  const { agent, client, params } = await started();
  await agent.run.channel.close();
  const end = await client.until((frame) => at(frame, "params", "update", "state") === "idle");
  expect(at(end, "params", "update", "stopReason")).toBe("error");
  expect(at(end, "params", "update", "error", "code")).toBe(-32005);
  const again = await client.request("session/prompt", params);
  expect(at(again, "result", "messageId")).toBe("m1");
  expect(agent.run.frames.map(({ method }) => method)).toEqual([
    "initialize",
    "session/resume",
    "session/prompt",
  ]);
});

test("replaces an agent that ignores a cancel", async () => {
  const { agent, client } = await started();
  const { run } = agent;
  client.notify("session/cancel", { sessionId: "s1" });
  await run.channel.closed;
  await client.until((frame) => at(frame, "params", "update", "state") === "idle");
});
