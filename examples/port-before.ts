// A small client on the official SDK. port-after.ts is the same program on Dragoman.
//
//   node port-before.ts [command [arguments ...]]
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, realpath } from "node:fs/promises";
import { sep } from "node:path";
import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk";

const named = process.argv.slice(2);
const [command = "npx", ...args] = named.length > 0 ? named : ["npx", "dragoman", "demo-agent"];
const cwd = await realpath(process.cwd());

const app = acp
  .client({ name: "port" })
  .onRequest(acp.methods.client.session.requestPermission, ({ params: { toolCall, options } }) => {
    console.log(`asked: ${toolCall.title}`);
    const no = options.find(({ kind }) => kind === "reject_once");
    if (!no) return { outcome: { outcome: "cancelled" } };
    return { outcome: { outcome: "selected", optionId: no.optionId } };
  })
  .onRequest(acp.methods.client.fs.readTextFile, async ({ params: { path, line, limit } }) => {
    const real = await realpath(path);
    if (!real.startsWith(cwd + sep)) throw acp.RequestError.invalidParams({ path });
    const lines = (await readFile(real, "utf8")).split("\n");
    const start = Math.max((line ?? 1) - 1, 0);
    const end = typeof limit === "number" ? start + limit : undefined;
    return { content: lines.slice(start, end).join("\n") };
  });

const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
try {
  await once(child, "spawn");
  const output = Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>;
  await app.connectWith(acp.ndJsonStream(Writable.toWeb(child.stdin), output), async (agent) => {
    await agent.request(acp.methods.agent.initialize, {
      protocolVersion: acp.PROTOCOL_VERSION,
      clientCapabilities: { fs: { readTextFile: true } },
    });
    await agent.buildSession(cwd).withSession(async (session) => {
      for (const prompt of ["/read README.md", "/permission"]) {
        const answer = await Promise.all([session.prompt(prompt), session.readText()]);
        const [{ stopReason }, text] = answer;
        console.log(`${text} (${stopReason})`);
      }
    });
  });
} finally {
  child.kill();
}
