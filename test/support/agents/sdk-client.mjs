// A client built with the official SDK. It talks to the agent over its own stdin and stdout, and reports
// to the agent at the end what it saw.
import { client, ndJsonStream } from "@agentclientprotocol/sdk";
import process from "node:process";
import { Readable, Writable } from "node:stream";

const seen = [];
const app = client({ name: "sdk-client" })
  .onNotification("session/update", ({ params }) => {
    seen.push(params.update.content?.text ?? params.update.sessionUpdate);
  })
  .onRequest("session/request_permission", ({ params }) => {
    seen.push("permission");
    return { outcome: { outcome: "selected", optionId: params.options[0].optionId } };
  })
  .onRequest("fs/read_text_file", ({ params }) => ({ content: `text of ${params.path}` }));

const stream = ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin));
await app.connectWith(stream, async (agent) => {
  const { protocolVersion } = await agent.request("initialize", {
    protocolVersion: 1,
    clientCapabilities: { fs: { readTextFile: true } },
  });
  const { sessionId } = await agent.request("session/new", { cwd: process.cwd(), mcpServers: [] });
  const prompt = (text, options) =>
    agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] }, options);

  const first = await prompt("hello");
  const abort = new AbortController();
  const waiting = prompt("wait", { cancellationSignal: abort.signal });
  setImmediate(() => abort.abort());
  const cancelled = await waiting.catch(({ code }) => ({ code }));
  const unknownMethod = await agent
    .request("_no/such")
    .catch(({ code, message }) => ({ code, message }));
  await agent.request("_report", { protocolVersion, first, cancelled, unknownMethod, seen });
});
process.exit(0);
