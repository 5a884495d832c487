// Remote transports with the official SDK on the other side.
import { agent, client } from "@agentclientprotocol/sdk";
import { createHttpStream } from "@agentclientprotocol/sdk/experimental/http-client";
import {
  createNodeHttpHandler,
  createNodeWebSocketUpgradeHandler,
} from "@agentclientprotocol/sdk/experimental/node";
import { AcpServer } from "@agentclientprotocol/sdk/experimental/server";
import { createWebSocketStream } from "@agentclientprotocol/sdk/experimental/ws-client";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { serveAgents } from "../../src/agent/index.ts";
import { AcpClient } from "../../src/client/index.ts";
import {
  connectRemote,
  listenRemote,
  type RemoteServer,
} from "../../src/transport/remote/index.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const NUMBERS = Array.from({ length: 100 }, (_, n) => `${n} `).join("");
const TOKEN = "an-example-token";

const chunk = (text: string) =>
  ({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } }) as const;

/** An agent of this library behind our server. It counts, or asks for permission. */
async function ourServer(): Promise<{ server: RemoteServer<string>; left: string[] }> {
  const left: string[] = [];
  const stop = new AbortController();
  const server = await listenRemote({
    authorize: ({ token }) => (token === TOKEN ? "tester" : undefined),
  });
  const served = serveAgents(
    server,
    {
      info: { name: "counter", version: "1.0.0" },
      newSession: () => ({}),
      async *loadSession() {
        for (let n = 0; n < 100; n++) yield chunk(`${n} `);
        return {};
      },
      prompt: async (turn) => {
        if (turn.text === "ask") {
          const { outcome } = await turn.askPermission({ title: "run" });
          await turn.say(outcome);
          return;
        }
        for (let n = 0; n < 100; n++) await turn.say(`${n} `);
      },
      close: ({ kind }) => void left.push(kind),
    },
    { signal: stop.signal },
  );
  cleanups.push(async () => {
    stop.abort();
    await served;
  });
  return { server, left };
}

type Transport = "websocket" | "http";
const transports: readonly Transport[] = ["websocket", "http"];

describe.each(transports)("over %s, a client built with the SDK", (transport) => {
  it("prompts an agent on our server, loads a session, and answers its questions", async () => {
    const { server, left } = await ourServer();
    const headers = { authorization: `Bearer ${TOKEN}` };
    const stream =
      transport === "http"
        ? createHttpStream(server.url, { headers })
        : createWebSocketStream(server.webSocketUrl, { WebSocket, headers });
    let text = "";
    const app = client({ name: "sdk" })
      .onNotification("session/update", ({ params: { update } }) => {
        if (update.sessionUpdate === "agent_message_chunk" && update.content.type === "text") {
          text += update.content.text;
        }
      })
      .onRequest("session/request_permission", ({ params: { options } }) => ({
        outcome: { outcome: "selected", optionId: options[0]?.optionId ?? "" },
      }));
    const taken = (): string => {
      const taking = text;
      text = "";
      return taking;
    };
    await app.connectWith(stream, async (remote) => {
      await remote.request("initialize", { protocolVersion: 1, clientCapabilities: {} });
      const cwd = process.cwd();
      const { sessionId } = await remote.request("session/new", { cwd, mcpServers: [] });
      const prompt = (words: string) =>
        remote.request("session/prompt", { sessionId, prompt: [{ type: "text", text: words }] });
      expect(await prompt("count")).toEqual({ stopReason: "end_turn" });
      expect(taken()).toBe(NUMBERS);
      await prompt("ask");
      expect(taken()).toBe("selected");
      await remote.request("session/load", { cwd, mcpServers: [], sessionId: "stored" });
      expect(taken()).toBe(NUMBERS);
    });
    await expect.poll(() => left).toEqual(["ended"]);
  });
});

/** An agent of the SDK behind the SDK's server. */
async function sdkServer(): Promise<{ http: string; websocket: string }> {
  const acp = new AcpServer({
    createAgent: () =>
      agent({ name: "sdk" })
        .onRequest("initialize", () => ({
          protocolVersion: 1,
          agentCapabilities: { loadSession: true },
        }))
        .onRequest("session/new", () => ({ sessionId: "s" }))
        .onRequest("session/load", async ({ client: remote, params: { sessionId } }) => {
          await remote.notify("session/update", { sessionId, update: chunk("old") });
          return {};
        })
        .onNotification("session/cancel", () => {})
        .onRequest("session/prompt", async ({ client: remote, params }) => {
          const { sessionId, prompt } = params;
          if (prompt[0]?.type === "text" && prompt[0].text === "ask") {
            const { outcome } = await remote.request("session/request_permission", {
              sessionId,
              toolCall: { toolCallId: "t", title: "run" },
              options: [{ optionId: "ok", name: "OK", kind: "allow_once" }],
            });
            await remote.notify("session/update", { sessionId, update: chunk(outcome.outcome) });
            return { stopReason: "end_turn" };
          }
          for (let n = 0; n < 100; n++) {
            await remote.notify("session/update", { sessionId, update: chunk(`${n} `) });
          }
          return { stopReason: "end_turn" };
        }),
  });
  const server = createServer(createNodeHttpHandler(acp));
  const sockets = new WebSocketServer({ noServer: true });
  server.on("upgrade", createNodeWebSocketUpgradeHandler(acp, sockets));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  cleanups.push(async () => {
    await acp.close();
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { http: `http://127.0.0.1:${port}/acp`, websocket: `ws://127.0.0.1:${port}/acp` };
}

describe.each(transports)("over %s, our client", (transport) => {
  it("prompts an agent on the SDK's server, loads a session, and answers its questions", async () => {
    const { [transport]: url } = await sdkServer();
    const ours = await AcpClient.start({ channel: await connectRemote(url), permissions: "all" });
    cleanups.push(() => ours.close());
    const session = await ours.newSession({ cwd: process.cwd() });
    expect(await session.prompt("count").text()).toBe(NUMBERS);
    expect(await session.prompt("ask").text()).toBe("selected");
    const loaded = await ours.loadSession({ sessionId: "stored", cwd: process.cwd() });
    expect(await loaded.prompt("count").text()).toContain(NUMBERS);
    expect((await ours.close()).kind).toBe("closed");
  });
});
