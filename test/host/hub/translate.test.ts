import { describe, expect, it } from "vitest";
import { type AgentDefinition, serveAgent } from "../../../src/agent/index.ts";
import { AcpClient, type ProtocolChoice } from "../../../src/client/index.ts";
import { translatedAgent, translatedClient } from "../../../src/host/hub/translate.ts";
import { type Channel, memoryPair } from "../../../src/transport/wire/index.ts";
import { SdkV2Client } from "../../support/sdk-v2-client.ts";
import { Lines } from "./lines.ts";

const info = { name: "x", version: "1" };
const v1Params = { protocolVersion: 1, clientCapabilities: { terminal: true }, clientInfo: info };
const v2Params = { protocolVersion: 2, info, capabilities: {} };
const initialize = (params: unknown, id: unknown = 0): string =>
  JSON.stringify({ jsonrpc: "2.0", id, method: "initialize", params });
const answer = (result: unknown): string => JSON.stringify({ jsonrpc: "2.0", id: 0, result });
const v1Result = { protocolVersion: 1, agentCapabilities: {} };
const v2Result = { protocolVersion: 2, info, capabilities: { session: {} } };

/** Both ends of a translated connection: what the client's side has, and what the agent's side has. */
function ends(protocol: ProtocolChoice) {
  const [near, agent] = memoryPair();
  const client = translatedAgent(near, protocol);
  return { client, agent, toClient: new Lines(client), toAgent: new Lines(agent) };
}

/** An agent that speaks both versions and says which one it uses. */
const both: AgentDefinition<undefined> = {
  info,
  newSession: () => undefined,
  prompt: async (turn) => {
    await turn.say(`version ${turn.client.protocolVersion}`);
  },
};

/** Sends "hello" as a client of this version, and returns the agent's answer. */
async function answerTo(version: number, channel: Channel): Promise<string> {
  if (version === 1) {
    const client = await AcpClient.start({ channel });
    expect(client.agent.protocolVersion).toBe(1);
    const session = await client.newSession({ cwd: process.cwd() });
    const text = await session.prompt("hello").text();
    await client.close();
    return text;
  }
  const client = new SdkV2Client(channel);
  expect(await client.initialize()).toMatchObject({ protocolVersion: 2 });
  await client.prompt(await client.newSession(), "hello");
  await client.close();
  return client.text();
}

describe("a channel that translates for an agent", () => {
  it.each([
    [1, 1],
    [2, 2],
    ["newest", 2],
  ] as const)(
    "with %s, lets a v1 client and a v2 client use version %i of the agent",
    async (protocol, spoken) => {
      for (const version of [1, 2]) {
        const [near, far] = memoryPair();
        const served = serveAgent(far, both);
        const channel = translatedAgent(near, protocol);
        expect(await answerTo(version, channel)).toBe(`version ${spoken}`);
        await served;
      }
    },
  );

  it.each([
    [1, v1Params, v1Result],
    [2, v2Params, v2Result],
  ] as const)(
    "passes the bytes if both sides speak version %i",
    async (version, params, result) => {
      const { client, agent, toClient, toAgent } = ends(version);
      const odd = ` {"params" : ${JSON.stringify(params)}, "method":"initialize","id":0} `;
      for (const line of [
        odd,
        "noise",
        '{"id":1,"method":"_x","params":{"n":12345678901234567890}}',
      ]) {
        void client.send(line);
        expect(await toAgent.next()).toBe(line);
      }
      for (const line of [answer(result), "[]", '{ "method": "_y", "params": {"n": 1.0e400} }']) {
        void agent.send(line);
        expect(await toClient.next()).toBe(line);
      }
    },
  );

  it("does not serialize frames again that mean the same in both versions", async () => {
    const { client, agent, toClient, toAgent } = ends(2);
    void client.send(initialize(v1Params));
    expect(await toAgent.nextFrame()).toMatchObject({ params: { protocolVersion: 2, info } });
    void agent.send(answer(v2Result));
    expect(await toClient.nextFrame()).toMatchObject({ result: { protocolVersion: 1 } });
    const line = '{"method":"_x", "params": {"n": 12345678901234567890}}';
    void client.send(line);
    expect(await toAgent.next()).toBe(line);
    void agent.send(line);
    expect(await toClient.next()).toBe(line);
  });

  it("with newest, sends a v1 agent the client's own initialize after it refused version 2", async () => {
    const refusal = { code: -32022, message: "no", data: { supported: [1] } };
    for (const reply of [
      answer(v1Result),
      // Some agents of version 1 repeat the number.
      answer({ ...v1Result, protocolVersion: 2 }),
      JSON.stringify({ jsonrpc: "2.0", id: 0, error: refusal }),
    ]) {
      const { client, agent, toClient, toAgent } = ends("newest");
      void client.send(initialize(v1Params));
      expect(await toAgent.nextFrame()).toMatchObject({
        params: { ...v1Params, protocolVersion: 2 },
      });
      void agent.send(reply);
      expect(await toAgent.next()).toBe(initialize(v1Params));
      void agent.send(answer(v1Result));
      expect(await toClient.next()).toBe(answer(v1Result));
    }
  });

  it("with newest, translates for a v2 client if the agent speaks only version 1", async () => {
    const { client, agent, toClient, toAgent } = ends("newest");
    void client.send(initialize(v2Params));
    await toAgent.next();
    void agent.send(answer(v1Result));
    expect(await toAgent.nextFrame()).toMatchObject({ params: { protocolVersion: 1 } });
    void agent.send(answer(v1Result));
    expect(await toClient.nextFrame()).toMatchObject({ id: 0, result: { protocolVersion: 2 } });
  });

  it.each([
    [1, v1Params, v2Result, "speaks version 2 of the protocol, and it was asked for version 1"],
    [1, v2Params, v2Result, "speaks version 2 of the protocol, and it was asked for version 1"],
    [2, v1Params, v1Result, "speaks version 1 of the protocol, and it was asked for version 2"],
    [2, v2Params, v1Result, "speaks version 1 of the protocol, and it was asked for version 2"],
  ] as const)(
    "with %i, refuses an agent that speaks only the other version",
    async (protocol, params, result, words) => {
      const { client, agent, toClient, toAgent } = ends(protocol);
      void client.send(initialize(params));
      await toAgent.next();
      void agent.send(answer(result));
      const data = { supported: [3 - protocol] };
      expect(await toClient.nextFrame()).toMatchObject({
        id: 0,
        error: { code: -32022, message: expect.stringContaining(words), data },
      });
    },
  );

  it("passes other errors for initialize, and translates the next attempt", async () => {
    const { client, agent, toClient, toAgent } = ends(2);
    const failed = JSON.stringify({ jsonrpc: "2.0", id: 0, error: { code: -1, message: "busy" } });
    void client.send(initialize(v1Params));
    await toAgent.next();
    void agent.send(failed);
    expect(await toClient.next()).toBe(failed);
    void client.send(initialize(v1Params));
    await toAgent.next();
    void agent.send(answer(v2Result));
    expect(await toClient.nextFrame()).toMatchObject({ result: { protocolVersion: 1 } });
  });

  it("delivers an answer on the way after the send, and before later lines of the agent", async () => {
    const [near, agent] = memoryPair();
    const channel = translatedAgent(near, 2);
    const toAgent = new Lines(agent);
    const received: unknown[] = [];
    let isSending = false;
    channel.open((line) => {
      expect(isSending).toBe(false);
      received.push(JSON.parse(line));
    });
    void channel.send(initialize(v1Params));
    await toAgent.next();
    void agent.send(answer(v2Result));
    await expect.poll(() => received).toHaveLength(1);
    isSending = true;
    // Version 2 cannot express it, so the translator answers.
    const mcpServers = [{ type: "sse", name: "s", url: "http://127.0.0.1:9", headers: [] }];
    const params = { cwd: "/", mcpServers };
    void channel.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "session/new", params }));
    isSending = false;
    void agent.send('{"method":"_later"}');
    await expect.poll(() => received).toHaveLength(3);
    expect(received.slice(1)).toMatchObject([
      { id: 1, error: { code: -32602 } },
      { method: "_later" },
    ]);
  });

  it("closes with its agent, and delivers everything before", async () => {
    const { client, agent, toClient } = ends(1);
    void agent.send("last");
    await agent.close();
    expect(await toClient.next()).toBe("last");
    expect(await client.closed).toEqual({ kind: "ended" });
    await expect(client.send("x")).rejects.toThrow("closed");
  });
});

describe.each([1, 2] as const)("a channel that speaks version %i with any client", (version) => {
  it("serves a v1 client and a v2 client", async () => {
    for (const spoken of [1, 2]) {
      const [near, far] = memoryPair();
      const served = serveAgent(translatedClient(far, version), both);
      expect(await answerTo(spoken, near)).toBe(`version ${version}`);
      await served;
    }
  });

  it("passes the bytes of a client that speaks the same version", async () => {
    const [client, far] = memoryPair();
    const channel = translatedClient(far, version);
    const [toHub, toClient] = [new Lines(channel), new Lines(client)];
    const params = JSON.stringify({ protocolVersion: version, info });
    for (const line of [` {"id":0,"method":"initialize","params":${params}}`, "noise"]) {
      void client.send(line);
      expect(await toHub.next()).toBe(line);
    }
    const odd = '{"method":"_x", "params":{"n":12345678901234567890}}';
    void channel.send(odd);
    expect(await toClient.next()).toBe(odd);
  });
});

it("drops a message that makes no sense in the other version, and goes on", async () => {
  const [near, far] = memoryPair();
  const client = new Lines(far);
  const hub = translatedClient(near, 1);
  const asked = new Lines(hub);
  void far.send(initialize(v2Params));
  await asked.next();
  void hub.send(answer({ ...v1Result, agentInfo: info }));
  await client.next();
  const update = { sessionUpdate: "tool_call", toolCallId: { toString: 2 }, title: "x" };
  const line = { jsonrpc: "2.0", method: "session/update", params: { sessionId: "s", update } };
  await hub.send(JSON.stringify(line));
  void hub.send(JSON.stringify({ jsonrpc: "2.0", method: "_vendor/tell", params: {} }));
  expect(await client.next()).toContain("_vendor/tell");
});
