// A hub between the client on stdin and stdout and an agent that sends COUNT updates.
//   relay-hub.mjs proxy|log COUNT   without and with a log of the session
//   relay-hub.mjs serve COUNT       behind a WebSocket on loopback; prints its address
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHub, hashToken, openProcess, serveHub, stdioChannel } from "../lib.mjs";
import { producer } from "../measure.mjs";

const [mode, script, ...args] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "bench-hub-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
const agent = {
  name: "bench",
  key: "bench",
  open: () => openProcess({ command: process.execPath, args: [producer(script), ...args] }),
};
const log = mode === "proxy" ? undefined : { folder };

if (mode === "serve") {
  const grant = { name: "bench", sha256: hashToken("token"), role: "controller" };
  const limits = { maxConnectsPerMinute: 10_000, stallMs: 600_000 };
  const server = await serveHub({ agents: [agent], tokens: [grant], limits, hub: { log } });
  process.stdout.write(`${server.webSocketUrl}\n`);
  process.stdin.resume().on("end", () => void server.close().then(() => process.exit(0)));
} else {
  const hub = createHub({ log });
  const client = hub.serve(stdioChannel(), { agent, owner: "bench" });
  await client.closed;
  await hub.close();
  process.exit(0);
}
