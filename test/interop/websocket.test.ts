// WebSocket connections with the official SDK on the other side.
import { agent, client } from "@agentclientprotocol/sdk";
import { createNodeWebSocketUpgradeHandler } from "@agentclientprotocol/sdk/experimental/node";
import { AcpServer } from "@agentclientprotocol/sdk/experimental/server";
import { createWebSocketStream } from "@agentclientprotocol/sdk/experimental/ws-client";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { serveAgents, webSocketListener } from "../../src/entries/agent.ts";
import { AcpClient } from "../../src/entries/dragoman.ts";
import { connectWebSocket } from "../../src/transport/wire/index.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

it("a client built with the SDK uses an agent on a WebSocket listener", async () => {
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  await once(server, "listening");
  const left: (string | undefined)[] = [];
  const stop = new AbortController();
  const served = serveAgents(
    webSocketListener(server),
    {
      info: { name: "echo", version: "1.0.0" },
      newSession: () => ({}),
      prompt: async (turn) => {
        for (let n = 0; n < 100; n++) await turn.say(`${n} ${turn.text} `);
      },
      close: (reason) => void left.push(reason.kind),
    },
    { signal: stop.signal },
  );
  cleanups.push(() => stop.abort());

  const { port } = server.address() as AddressInfo;
  const stream = createWebSocketStream(`ws://127.0.0.1:${port}/acp`, { WebSocket });
  let text = "";
  const app = client({ name: "sdk" }).onNotification("session/update", ({ params: { update } }) => {
    if (update.sessionUpdate === "agent_message_chunk" && update.content.type === "text") {
      text += update.content.text;
    }
  });
  const answer = await app.connectWith(stream, async (remote) => {
    await remote.request("initialize", { protocolVersion: 1, clientCapabilities: {} });
    const { sessionId } = await remote.request("session/new", {
      cwd: process.cwd(),
      mcpServers: [],
    });
    const prompt = [{ type: "text", text: "hello" } as const];
    return await remote.request("session/prompt", { sessionId, prompt });
  });
  expect(answer).toEqual({ stopReason: "end_turn" });
  expect(text).toBe(Array.from({ length: 100 }, (_, n) => `${n} hello `).join(""));
  stop.abort();
  await served;
  expect(left).toHaveLength(1);
});

it("our client uses a WebSocket server of the SDK", async () => {
  const acp = new AcpServer({
    createAgent: () =>
      agent({ name: "sdk" })
        .onRequest("initialize", () => ({ protocolVersion: 1, agentCapabilities: {} }))
        .onRequest("session/new", () => ({ sessionId: "s" }))
        .onRequest("session/prompt", async ({ client: remote, params: { sessionId } }) => {
          for (let n = 0; n < 100; n++) {
            const content = { type: "text", text: `${n} ` } as const;
            const update = { sessionUpdate: "agent_message_chunk", content } as const;
            await remote.notify("session/update", { sessionId, update });
          }
          return { stopReason: "end_turn" };
        }),
  });
  const http = createServer();
  const sockets = new WebSocketServer({ noServer: true });
  http.on("upgrade", createNodeWebSocketUpgradeHandler(acp, sockets));
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  cleanups.push(() => http.close());

  const { port } = http.address() as AddressInfo;
  const channel = await connectWebSocket(`ws://127.0.0.1:${port}/acp`, { WebSocket });
  const ours = await AcpClient.start({ channel });
  cleanups.push(() => ours.close());
  const session = await ours.newSession({ cwd: process.cwd() });
  const turn = session.prompt("hello");
  expect(await turn.text()).toBe(Array.from({ length: 100 }, (_, n) => `${n} `).join(""));
  expect((await turn.result).stopReason).toBe("end_turn");
});
