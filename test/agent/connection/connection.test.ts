import { describe, expect, it } from "vitest";
import { ClientConnection } from "../../../src/agent/connection/connection.ts";
import { memoryPair } from "../../../src/transport/wire/index.ts";
import { promptAgent } from "../definitions.ts";
import { errorOf, serve, TestClient, UUID, workspace } from "../harness.ts";

describe("initialize", () => {
  it.each([1, 0, 2, 65535])("answers a request for version %d with version 1", async (version) => {
    const { client } = await serve(async () => {}, { raw: true });
    const result = await client.call("initialize", { protocolVersion: version });
    expect(result["protocolVersion"]).toBe(1);
  });

  it("must be the first request and is accepted only once", async () => {
    const { client } = await serve(async () => {}, { raw: true });
    for (const method of ["session/new", "session/prompt", "authenticate", "nothing", "_x"]) {
      expect(await errorOf(client.peer.call(method, workspace))).toMatchObject({ code: -32600 });
    }
    await client.initialize();
    expect(await errorOf(client.initialize())).toMatchObject({ code: -32600 });
    expect(await client.newSession()).toMatch(UUID);
  });

  it("can be repeated after invalid params", async () => {
    const { client } = await serve(async () => {}, { raw: true });
    expect(await errorOf(client.call("initialize", { protocolVersion: "1" }))).toMatchObject({
      code: -32602,
      data: { errors: [{ path: "protocolVersion" }] },
    });
    expect(await client.initialize()).toMatchObject({ protocolVersion: 1 });
  });
});

describe("a turn that ignores its signal", () => {
  it("is abandoned some time after the client disconnects", async () => {
    const calls: string[] = [];
    const agent = promptAgent(
      async (turn) => {
        await turn.say("working");
        await new Promise<never>(() => {});
      },
      {
        closeSession: () => void calls.push("closeSession"),
        close: ({ kind }) => void calls.push(`close: ${kind}`),
      },
    );
    const [clientEnd, agentEnd] = memoryPair();
    const connection = new ClientConnection(agentEnd, agent, {}, 10);
    const client = new TestClient(clientEnd);
    await client.initialize();
    const prompt = client.prompt(await client.newSession(), "x");
    await client.waitFor("update agent_message_chunk");
    await client.peer.close();
    await expect(prompt).rejects.toMatchObject({ name: "ConnectionError" });
    expect(await connection.done).toEqual({ kind: "ended" });
    expect(calls).toEqual(["close: ended"]);
  });
});
