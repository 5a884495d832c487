// The official SDK's client, doing the same.
import { Readable, Writable } from "node:stream";
import { client, methods, ndJsonStream } from "@agentclientprotocol/sdk";
import { report, start } from "../measure.mjs";

const [count] = process.argv.slice(2);
const startedAt = performance.now();
const child = start("client-agent", count);
let seen = 0;
let startMs;
const app = client({ name: "bench" }).onNotification(methods.client.session.update, () => {
  if (seen++ === 0) startMs = performance.now() - startedAt;
});
const { agent } = app.connect(
  ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout)),
);
await agent.request(methods.agent.initialize, { protocolVersion: 1, clientCapabilities: {} });
const { sessionId } = await agent.request(methods.agent.session.new, {
  cwd: process.cwd(),
  mcpServers: [],
});
await agent.request(methods.agent.session.prompt, {
  sessionId,
  prompt: [{ type: "text", text: "go" }],
});
const timer = setInterval(() => {
  if (seen < Number(count)) return;
  clearInterval(timer);
  report({ seen, startMs });
}, 5);
