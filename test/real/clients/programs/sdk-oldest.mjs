// Drives an agent with the `ClientSideConnection` of the official SDK 0.1.2, as its example client does.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { pathToFileURL } from "node:url";
import { chosen, doSteps, readTask } from "./steps.mjs";

const { command, args, cwd, modules, steps } = readTask();
const entry = join(modules, "@zed-industries/agent-client-protocol/dist/acp.js");
const { ClientSideConnection, PROTOCOL_VERSION } = await import(pathToFileURL(entry).href);

let current = {};
let text = "";
let sessionId = "";

const client = {
  async requestPermission({ options }) {
    return { outcome: chosen(options, current.permission) };
  },
  async sessionUpdate({ update }) {
    if (update.sessionUpdate !== "agent_message_chunk" || update.content.type !== "text") return;
    text += update.content.text;
    if (current.cancelAt === undefined || !text.includes(current.cancelAt)) return;
    current = {};
    await connection.cancel({ sessionId });
  },
  // Its types require null as the answer, as the protocol did then.
  async writeTextFile({ path, content }) {
    await writeFile(path, content);
    return null;
  },
  async readTextFile({ path }) {
    return { content: await readFile(path, "utf8") };
  },
};

const agent = spawn(command, args, { cwd, stdio: ["pipe", "pipe", "inherit"] });
const exited = once(agent, "exit");
const connection = new ClientSideConnection(
  () => client,
  Writable.toWeb(agent.stdin),
  Readable.toWeb(agent.stdout),
);
const { protocolVersion } = await connection.initialize({
  protocolVersion: PROTOCOL_VERSION,
  clientCapabilities: { fs: { readTextFile: true, writeTextFile: true } },
});
if (protocolVersion !== PROTOCOL_VERSION)
  throw new Error(`the agent chose version ${protocolVersion}`);

await doSteps(steps, {
  open: async () => {
    ({ sessionId } = await connection.newSession({ cwd, mcpServers: [] }));
    return { sessionId };
  },
  load: async (id) => {
    sessionId = id;
    await connection.loadSession({ sessionId, cwd, mcpServers: [] });
    return { sessionId };
  },
  prompt: async (step) => {
    current = step;
    text = "";
    const prompt = [{ type: "text", text: step.text }];
    const { stopReason } = await connection.prompt({ sessionId, prompt });
    // The SDK may deliver the last updates just after the answer.
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    return { text, stopReason };
  },
  end: async () => {
    agent.stdin.end();
    await exited;
  },
});
