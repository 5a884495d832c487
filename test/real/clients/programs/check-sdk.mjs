// A client made with the newest official SDK, as its documentation shows, for `dragoman check client`:
//
//   node check-sdk.mjs MODULES --agent COMMAND [--allow] [--load ID]
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { chosen } from "./steps.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    agent: { type: "string" },
    allow: { type: "boolean", default: false },
    load: { type: "string" },
  },
});
const entry = join(positionals[0], "@agentclientprotocol/sdk/dist/v1/stable/acp.js");
const { client, ndJsonStream, PROTOCOL_VERSION } = await import(pathToFileURL(entry).href);

const cwd = process.cwd();
const [command, ...args] = values.agent.split(" ");
const child = spawn(command, args, { cwd, stdio: ["pipe", "pipe", "inherit"] });
const exited = once(child, "exit");

const app = client({ name: "official SDK" })
  .onNotification("session/update", ({ params: { update } }) => {
    if (update.sessionUpdate !== "agent_message_chunk" || update.content.type !== "text") return;
    process.stdout.write(update.content.text);
  })
  .onRequest("session/request_permission", ({ params }) => ({
    outcome: chosen(params.options, values.allow ? "allow" : "deny"),
  }));
const { agent } = app.connect(
  ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout)),
);
const { protocolVersion } = await agent.request("initialize", {
  protocolVersion: PROTOCOL_VERSION,
  clientCapabilities: {},
  clientInfo: { name: "official-sdk", version: "2.4.0" },
});
if (protocolVersion !== PROTOCOL_VERSION) {
  throw new Error(`the agent chose version ${protocolVersion}`);
}
let sessionId = values.load;
if (sessionId === undefined) {
  ({ sessionId } = await agent.request("session/new", { cwd, mcpServers: [] }));
} else await agent.request("session/load", { sessionId, cwd, mcpServers: [] });
process.on("SIGINT", () => void agent.notify("session/cancel", { sessionId }));
const prompt = [{ type: "text", text: "hello" }];
const { stopReason } = await agent.request("session/prompt", { sessionId, prompt });
if (stopReason !== "end_turn") process.stderr.write(`stopped: ${stopReason}\n`);
child.stdin.end();
await exited;
