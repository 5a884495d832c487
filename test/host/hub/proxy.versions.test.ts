// An agent of the other version behind a proxy, which dies during a turn.
import { describe, expect, it } from "vitest";
import { type AgentDefinition, serveAgent } from "../../../src/agent/index.ts";
import { AcpClient } from "../../../src/client/index.ts";
import { proxy, type ProxyOptions } from "../../../src/host/hub/index.ts";
import { type Channel, memoryPair } from "../../../src/transport/wire/index.ts";
import { SdkV2Client } from "../../support/sdk-v2-client.ts";

/** Agents that share their sessions, as processes share a disk. `die` stays busy until the agent is closed. */
function agents() {
  const kept = new Map<string, string[]>();
  const channels: Channel[] = [];
  const versions: number[] = [];
  const definition: AgentDefinition<string[]> = {
    info: { name: "x", version: "1" },
    newSession: () => [],
    loadSession: async function* ({ sessionId }) {
      for (const text of kept.get(sessionId) ?? []) {
        yield { sessionUpdate: "user_message_chunk", content: { type: "text", text } };
      }
      return kept.get(sessionId);
    },
    prompt: async (turn) => {
      versions.push(turn.client.protocolVersion);
      turn.session.state.push(turn.text);
      kept.set(turn.session.id, turn.session.state);
      await turn.say(`after ${turn.session.state.length}`);
      if (turn.text !== "die") return;
      await new Promise((resolve) => turn.signal.addEventListener("abort", resolve));
    },
  };
  const open = async (): Promise<Channel> => {
    const [near, far] = memoryPair();
    channels.push(far);
    void serveAgent(far, definition);
    return near;
  };
  return { open, versions, kill: () => channels.at(-1)?.close() };
}

function proxied(open: () => Promise<Channel>, protocol: ProxyOptions["protocol"]) {
  const [client, channel] = memoryPair();
  const agent = { name: "x", key: "x", open };
  const running = proxy({ agent, channel, protocol, limits: { backoffMs: 1 } });
  return { client, running };
}

describe("a client of version 1", () => {
  it.each([2, "newest"] as const)("goes on with an agent of version %s", async (protocol) => {
    const { open, kill, versions } = agents();
    const { client, running } = proxied(open, protocol);
    const acp = await AcpClient.start({ channel: client });
    const session = await acp.newSession({ cwd: process.cwd() });
    expect(await session.prompt("one").text()).toBe("after 1");
    const dying = session.prompt("die");
    // A loop that is left early would cancel the turn.
    const updates = dying[Symbol.asyncIterator]();
    while ((await updates.next()).value?.type !== "agent_message_chunk");
    const failed = expect(dying.result).rejects.toMatchObject({ rpcCode: -32005 });
    await kill();
    await failed;
    const last = session.prompt("three");
    const kinds: string[] = [];
    for await (const update of last) kinds.push(update.type);
    expect(kinds).not.toContain("user_message_chunk");
    expect(await last.result).toMatchObject({ stopReason: "end_turn" });
    expect(versions).toEqual([2, 2, 2]);
    await running.close();
  });
});

describe("a client of version 2", () => {
  it.each([undefined, 1, 2] as const)("goes on with an agent of version %s", async (protocol) => {
    const { open, kill, versions } = agents();
    const { client, running } = proxied(open, protocol);
    const sdk = new SdkV2Client(client);
    await sdk.initialize();
    const session = await sdk.newSession();
    await sdk.prompt(session, "one");
    expect(sdk.text()).toBe("after 1");
    const from = sdk.frames.length;
    await sdk.send(session, "die");
    await sdk.update(({ sessionUpdate }) => sessionUpdate === "agent_message_chunk", from);
    await kill();
    expect(await sdk.idle(from)).toMatchObject({ stopReason: "error" });
    const next = sdk.frames.length;
    await sdk.prompt(session, "three");
    expect(sdk.text(next)).toBe("after 3");
    const texts = JSON.stringify(sdk.frames.slice(next));
    expect(texts).not.toContain('"one"');
    expect(texts).not.toContain('"die"');
    expect(versions).toEqual([protocol ?? 2, protocol ?? 2, protocol ?? 2]);
    await sdk.close();
    await running.ended;
  });
});
