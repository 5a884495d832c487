// Many clients with many sessions on one server, and one client that stops reading. bench/suites/hub.mjs
// measures the same with processes.
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { WebSocket } from "ws";
import { AcpClient } from "../../../src/client/index.ts";
import { type HubAgent, serveHub } from "../../../src/host/hub/index.ts";
import { type Channel, memoryPair } from "../../../src/transport/wire/index.ts";
import { afterwards, cleanUp, requestLine } from "../../transport/remote/rig.ts";
import { soak, times } from "../../support/soak.ts";
import { ADA } from "./serve/rig.ts";

afterEach(cleanUp);

const CLIENTS = times(5, 50);
const SESSIONS = times(3, 10);
const UPDATES = times(50, 200);
/** The updates that the last client does not read, of 10 kB each. */
const UNREAD = times(1000, 5000);

/** An agent that sends as many updates as a prompt asks for, and waits when nothing takes them. */
function countingAgent(): HubAgent {
  let sessions = 0;
  const receive = async (line: string, channel: Channel): Promise<void> => {
    const { id, method, params } = JSON.parse(line) as {
      id: number;
      method: string;
      params: { sessionId: string; prompt: { text: string }[] };
    };
    const { sessionId } = params;
    if (method === "session/prompt") {
      const [count = 0, length = 0] = params.prompt[0]?.text.split(" ").map(Number) ?? [];
      for (let n = 0; n < count; n++) {
        const content = { type: "text", text: `${n} ${"x".repeat(length)}` };
        const update = { sessionUpdate: "agent_message_chunk", content };
        const message = { jsonrpc: "2.0", method: "session/update", params: { sessionId, update } };
        await channel.send(JSON.stringify(message));
      }
    }
    const results: Readonly<Record<string, object>> = {
      initialize: { protocolVersion: 1, agentCapabilities: {} },
      "session/new": { sessionId: `s${++sessions}` },
      "session/prompt": { stopReason: "end_turn" },
    };
    await channel.send(JSON.stringify({ jsonrpc: "2.0", id, result: results[method] ?? {} }));
  };
  return {
    name: "counter",
    key: "counter",
    open: async () => {
      const [near, far] = memoryPair();
      far.open((line) => void receive(line, far).catch(() => {}));
      return near;
    },
  };
}

it(
  `${CLIENTS} clients with ${SESSIONS} sessions each get everything in order, although one more stops reading`,
  { timeout: soak ? 300_000 : 30_000 },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "dragoman-load-"));
    afterwards(() => rm(folder, { recursive: true, force: true }));
    const server = await serveHub({
      agents: [countingAgent()],
      tokens: [ADA.grant],
      hub: { log: { folder, memoryBytes: 100_000 } },
    });
    afterwards(() => server.close());

    const lazy = new WebSocket(server.webSocketUrl, { headers: ADA.headers });
    afterwards(() => lazy.terminate());
    await once(lazy, "open");
    // The same as the others send, so that they share one process of the agent.
    lazy.send(requestLine(1, "initialize", { protocolVersion: 1, clientCapabilities: {} }));
    await once(lazy, "message");
    lazy.send(requestLine(2, "session/new", { cwd: folder, mcpServers: [] }));
    const [opened] = (await once(lazy, "message")) as [Buffer];
    const { result } = JSON.parse(opened.toString()) as { result: { sessionId: string } };
    const prompt = [{ type: "text", text: `${UNREAD} 10000` }];
    lazy.pause();
    lazy.send(requestLine(3, "session/prompt", { sessionId: result.sessionId, prompt }));

    const work = async (): Promise<void> => {
      const client = await AcpClient.start({ url: server.webSocketUrl, token: ADA.token });
      const sessions = await Promise.all(
        Array.from({ length: SESSIONS }, () => client.newSession({ cwd: folder })),
      );
      const texts = await Promise.all(
        sessions.map((session) => session.prompt(`${UPDATES} 0`).text()),
      );
      const expected = Array.from({ length: UPDATES }, (_, n) => `${n} `).join("");
      for (const text of texts) expect(text).toBe(expected);
      await client.close();
    };
    await Promise.all(Array.from({ length: CLIENTS }, work));
    expect(server.hub.sessions.length).toBeLessThanOrEqual(CLIENTS * SESSIONS + 1);
  },
);
