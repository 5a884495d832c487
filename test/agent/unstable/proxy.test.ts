/** Proxies between our client and the demo agent, with a small conductor. */
import { afterEach, describe, expect, it } from "vitest";
import { demoAgent } from "../../../src/apps/demo-agent/agent.ts";
import { type Channel, memoryPair, RpcError, serveAgent } from "../../../src/entries/agent.ts";
import { type ProxyDefinition, serveProxy } from "../../../src/agent/index.ts";
import { AcpClient } from "../../../src/entries/dragoman.ts";
import { Peer } from "../../../src/transport/rpc/index.ts";
import { strictFaults } from "../../support/schema.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

/** Connects a client to an agent through a proxy. Returns the client's end and the faults of the proxy. */
function conduct(agentEnd: Channel, definition: ProxyDefinition) {
  const [clientEnd, conductorsClient] = memoryPair();
  const [proxyEnd, conductorsProxy] = memoryPair();
  const served = serveProxy(proxyEnd, definition);
  const faults: string[] = [];
  const successor = (params: unknown, kind: "Request" | "Notification") => {
    faults.push(...strictFaults(`ProxySuccessor${kind}`, params, "unstable"));
    return params as { method: string; params?: unknown };
  };
  const client: Peer = new Peer(conductorsClient, {
    handlers: {
      request: (method, params, { signal }) =>
        proxy.call(method === "initialize" ? "proxy/initialize" : method, params, { signal }),
      notification: (method, params) => void proxy.notify(method, params),
    },
  });
  const proxy: Peer = new Peer(conductorsProxy, {
    handlers: {
      request: (method, params, { signal }) => {
        if (method !== "proxy/successor") return client.call(method, params, { signal });
        const inner = successor(params, "Request");
        return agent.call(inner.method, inner.params, { signal });
      },
      notification: (method, params) => {
        if (method !== "proxy/successor") return void client.notify(method, params);
        const inner = successor(params, "Notification");
        void agent.notify(inner.method, inner.params);
      },
    },
  });
  const agent: Peer = new Peer(agentEnd, {
    handlers: {
      request: (method, params, { signal }) =>
        proxy.call("proxy/successor", { method, params }, { signal }),
      notification: (method, params) => void proxy.notify("proxy/successor", { method, params }),
    },
  });
  for (const peer of [client, proxy, agent]) closing.push(() => peer.close());
  return { channel: clientEnd, served, faults, proxy };
}

function demo(): Channel {
  const [ours, theirs] = memoryPair();
  void serveAgent(theirs, demoAgent({ version: "1", unstable: true, exit: () => {} }));
  return ours;
}

const cwd = process.cwd();

describe("a proxy", () => {
  it("without handlers passes everything on, in both directions and in order", async () => {
    const { channel, faults } = conduct(demo(), { unstable: true });
    await using client = await AcpClient.start({ channel, permissions: "all", unstable: true });
    expect(client.agent.info?.name).toBe("dragoman-demo");
    const session = await client.newSession({ cwd });
    expect(await session.prompt("/flood 50 1").text()).toMatch(/^1 x\n2 x\n[^]*50 x\n$/);
    expect(await session.prompt("/permission").text()).toContain("You chose");
    await expect(session.prompt("/error -32050").result).rejects.toMatchObject({
      rpcCode: -32050,
      message: "It failed, as requested",
      data: { asked: true },
    });
    const hanging = session.prompt("/hang");
    await hanging.cancel();
    expect((await hanging.result).stopReason).toBe("cancelled");
    expect(faults).toEqual([]);
  });

  it("changes, answers and denies requests, and drops and changes notifications", async () => {
    const { channel } = conduct(demo(), {
      unstable: true,
      fromClient: {
        request: ({ method, params, forward }) => {
          if (method === "session/list") return { sessions: [] };
          if (method === "session/delete") throw new RpcError(-32050, "not here");
          if (method !== "session/prompt") return forward();
          const prompt = [{ type: "text", text: "/think again" }];
          return forward({ ...(params as object), prompt });
        },
      },
      fromAgent: {
        notification: (message) => {
          const text = JSON.stringify(message.params);
          if (text.includes("agent_thought_chunk")) return undefined;
          return { ...message, params: JSON.parse(text.replace("thought about", "slept on")) };
        },
      },
    });
    await using client = await AcpClient.start({ channel });
    const session = await client.newSession({ cwd });
    const turn = session.prompt("hello");
    const seen: string[] = [];
    for await (const update of turn) seen.push(update.text || update.type);
    expect(seen).toEqual(["session_info_update", "I have slept on it."]);
    expect(await client.listSessions().next()).toMatchObject({ done: true });
    await expect(client.deleteSession("x")).rejects.toMatchObject({ rpcCode: -32050 });
  });

  it("denies a message from its successor that names no method", async () => {
    const { proxy, served } = conduct(demo(), { unstable: true });
    await expect(proxy.call("proxy/successor", {})).rejects.toMatchObject({ rpcCode: -32602 });
    await proxy.close();
    expect(await served).toMatchObject({ kind: "ended" });
  });
});

it("an agent of the toolkit is not a proxy", async () => {
  const [ours, theirs] = memoryPair();
  void serveAgent(theirs, demoAgent({ version: "1", unstable: true, exit: () => {} }));
  const peer = new Peer(ours);
  closing.push(() => peer.close());
  await peer.call("initialize", { protocolVersion: 1 });
  await expect(peer.call("proxy/initialize", {})).rejects.toMatchObject({ rpcCode: -32601 });
});
