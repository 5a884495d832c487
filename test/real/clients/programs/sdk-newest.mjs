// Drives an agent with the `client()` of the newest official SDK.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { pathToFileURL } from "node:url";
import { chosen, doSteps, readTask } from "./steps.mjs";

const { command, args, cwd, modules, steps } = readTask();
const entry = join(modules, "@agentclientprotocol/sdk/dist/v1/stable/acp.js");
const { client, ndJsonStream, PROTOCOL_VERSION } = await import(pathToFileURL(entry).href);

let current = {};
let text = "";
let sessionId = "";

const process = spawn(command, args, { cwd, stdio: ["pipe", "pipe", "inherit"] });
const exited = once(process, "exit");
const app = client({ name: "newest SDK" })
  .onNotification("session/update", async ({ params: { update } }) => {
    if (update.sessionUpdate !== "agent_message_chunk" || update.content.type !== "text") return;
    text += update.content.text;
    if (current.cancelAt === undefined || !text.includes(current.cancelAt)) return;
    current = {};
    await connection.agent.notify("session/cancel", { sessionId });
  })
  .onRequest("session/request_permission", ({ params }) => ({
    outcome: chosen(params.options, current.permission),
  }))
  .onRequest("fs/write_text_file", async ({ params: { path, content } }) => {
    await writeFile(path, content);
    return {};
  })
  .onRequest("fs/read_text_file", async ({ params: { path } }) => ({
    content: await readFile(path, "utf8"),
  }));
const connection = app.connect(
  ndJsonStream(Writable.toWeb(process.stdin), Readable.toWeb(process.stdout)),
);
const { agent } = connection;

const { protocolVersion } = await agent.request("initialize", {
  protocolVersion: PROTOCOL_VERSION,
  clientCapabilities: { fs: { readTextFile: true, writeTextFile: true } },
  clientInfo: { name: "newest-sdk", version: "0" },
});
if (protocolVersion !== PROTOCOL_VERSION)
  throw new Error(`the agent chose version ${protocolVersion}`);

await doSteps(steps, {
  open: async () => {
    ({ sessionId } = await agent.request("session/new", { cwd, mcpServers: [] }));
    return { sessionId };
  },
  load: async (id) => {
    sessionId = id;
    await agent.request("session/load", { sessionId, cwd, mcpServers: [] });
    return { sessionId };
  },
  prompt: async (step) => {
    current = step;
    text = "";
    const prompt = [{ type: "text", text: step.text }];
    const { stopReason } = await agent.request("session/prompt", { sessionId, prompt });
    // The SDK may deliver the last updates just after the answer.
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    return { text, stopReason };
  },
  end: async () => {
    process.stdin.end();
    await exited;
  },
});
