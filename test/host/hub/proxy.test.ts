import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type AgentDefinition, serveAgent } from "../../../src/agent/index.ts";
import { AcpClient } from "../../../src/client/index.ts";
import { type HubEvent, proxy, type ProxyOptions } from "../../../src/host/hub/index.ts";
import { type Channel, memoryPair } from "../../../src/transport/wire/index.ts";
import { Lines } from "./lines.ts";

const echo: AgentDefinition<object> = {
  info: { name: "echo", version: "1" },
  newSession: () => ({}),
  loadSession: () => ({}),
  prompt: async (turn) => {
    await turn.say(`${turn.client.protocolVersion}: ${turn.text}`);
  },
};

/** A proxy with a client's end, and its events. */
function proxied(open: () => Promise<Channel>, options: Partial<ProxyOptions> = {}) {
  const [client, channel] = memoryPair();
  const events: HubEvent[] = [];
  const agent = { name: "echo", key: "echo", open };
  const onEvent = (event: HubEvent): void => void events.push(event);
  return { client, events, running: proxy({ agent, channel, onEvent, ...options }) };
}

async function served(): Promise<Channel> {
  const [near, far] = memoryPair();
  void serveAgent(far, echo);
  return near;
}

const INITIALIZE =
  '{"jsonrpc":"2.0","id":"x","method":"initialize","params":{"protocolVersion":1}}';

describe("a proxy", () => {
  it("relays until the client leaves, and then ends the agent", async () => {
    let agent: Channel | undefined;
    const { client, running } = proxied(async () => (agent = await served()));
    const acp = await AcpClient.start({ channel: client });
    const session = await acp.newSession({ cwd: process.cwd() });
    expect(await session.prompt("hello").text()).toBe("1: hello");
    await acp.close();
    expect(await running.ended).toEqual({ kind: "closed" });
    expect(await agent?.closed).toMatchObject({ kind: "closed" });
  });

  it("answers the client and ends if the agent cannot be started", async () => {
    const error = new Error("no such command");
    const { client, running, events } = proxied(() => Promise.reject(error));
    const lines = new Lines(client);
    void client.send(INITIALIZE);
    expect(await lines.nextFrame()).toMatchObject({
      id: "x",
      error: { message: expect.stringContaining("no such command") },
    });
    expect(await running.ended).toEqual({ kind: "cannot_start", error });
    expect(events.at(-2)).toMatchObject({ type: "agent_start_failed", retryMs: undefined });
  });

  it("gives an agent up that fails too often, and answers the client", async () => {
    const channels: Channel[] = [];
    const open = async (): Promise<Channel> => {
      const [near, far] = memoryPair();
      channels.push(far);
      void serveAgent(far, echo);
      return near;
    };
    const { client, running } = proxied(open, { limits: { backoffMs: 1, maxFailures: 3 } });
    const acp = await AcpClient.start({ channel: client });
    const session = await acp.newSession({ cwd: process.cwd() });
    for (const text of ["one", "two", "three"]) {
      expect(await session.prompt(text).text()).toBe(`1: ${text}`);
      await channels.at(-1)?.close();
    }
    expect(await running.ended).toMatchObject({
      kind: "given_up",
      error: { message: expect.stringContaining("3 times") },
    });
    expect(channels).toHaveLength(3);
  });

  it("ends an agent that has not answered initialize", async () => {
    const [near, far] = memoryPair();
    const { client, running } = proxied(async () => near);
    void client.send(INITIALIZE);
    const lines = new Lines(far);
    await lines.next();
    await client.close();
    expect(await running.ended).toEqual({ kind: "closed" });
    expect(await far.closed).toEqual({ kind: "ended" });
  });

  it("lets a person think about a question for longer than an agent may be silent", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const [near, far] = memoryPair();
    void serveAgent(far, {
      ...echo,
      prompt: async (turn) => {
        const { outcome } = await turn.askPermission({ title: "Write", kind: "edit" });
        await turn.say(outcome);
      },
    });
    const { client, running } = proxied(async () => near, { limits: { turnIdleMs: 1000 } });
    const acp = await AcpClient.start({
      channel: client,
      permissions: async () => {
        await vi.advanceTimersByTimeAsync(600_000);
        return "allow" as const;
      },
    });
    const session = await acp.newSession({ cwd: process.cwd() });
    expect(await session.prompt("hello").text()).toBe("selected");
    await running.close();
  });
});
