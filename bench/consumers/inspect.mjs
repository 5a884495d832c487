// Measures the server of `dragoman inspect`. Usage:
//   node inspect.mjs file bare|inspect FRAMES   reads a recording, as plain lines or for a page
//   node inspect.mjs live FRAMES RATE           a session at a rate, with a page that reads and one that has stopped
import { get } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { LineSplitter, recorder, redactLine, serveInspector, SessionReader } from "../lib.mjs";
import { report } from "../measure.mjs";

const [mode, how, count] = process.argv.slice(2);
const page =
  '<!doctype html>\n<html lang="en" data-script="sha256-a" data-style="sha256-b"></html>';
const words = "the agent writes about the code that it has changed, in many pieces ".repeat(3);

/** A frame of about 380 bytes, as in real sessions. */
const frame = (n) =>
  JSON.stringify({
    jsonrpc: "2.0",
    method: "session/update",
    params: {
      sessionId: "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0",
      update: {
        sessionUpdate: "agent_message_chunk",
        messageId: `m${n >> 6}`,
        content: { type: "text", text: words },
      },
    },
  });

if (mode === "file") await readFrames(how, Number(count));
else await showLive(Number(how), Number(count));

async function readFrames(kind, frames) {
  const server = await serveInspector({ page });
  const session = server.add({ name: "file" });
  let seen = 0;
  // The least that any program does: it splits lines, parses them and removes secrets.
  const bare = new LineSplitter((line) => {
    redactLine(JSON.parse(line).line ?? "");
    seen++;
  });
  const reader = new SessionReader({
    header: (header) => session.start(header),
    entry: (entry) => {
      session.add(entry);
      seen++;
    },
  });
  const target = kind === "bare" ? bare : reader;
  const cpu = process.cpuUsage();
  let batch = "";
  let made = 0;
  const record = recorder((text) => (batch += text), { keepSecrets: true });
  let own = 0;
  while (made < frames) {
    const start = process.cpuUsage();
    batch = "";
    for (let n = 0; n < 200 && made < frames; n++)
      record({ at: made, direction: "in", line: frame(made++) });
    const bytes = Buffer.from(batch);
    const { user, system } = process.cpuUsage(start);
    own += user + system;
    target.push(bytes);
    if (session.log.isOverloaded) await session.log.relieved();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { user, system } = process.cpuUsage(cpu);
  session.log.end();
  await server.close();
  report({ cpuMs: (user + system - own) / 1000, seen });
}

async function showLive(frames, rate) {
  const server = await serveInspector({ page });
  const session = server.add({ name: "live" });
  const record = recorder((line) => session.write(line));
  const sentAt = new Float64Array(frames);
  const delays = [];
  let received = 0;
  const read = (isStalled) =>
    new Promise((resolve) => {
      const token = server.url.split("#token=")[1];
      const headers = { authorization: `Bearer ${token}` };
      const url = `http://127.0.0.1:${server.port}/api/recording?session=1`;
      get(url, { headers, agent: false }, (response) => {
        const splitter = new LineSplitter(() => {
          if (received > 0) delays.push(performance.now() - sentAt[received - 1]);
          received++;
        });
        if (!isStalled) response.on("data", (chunk) => splitter.push(chunk));
        // In an object, because a promise would be waited for.
        resolve({ ended: new Promise((done) => response.on("end", done)) });
      });
    });
  const [reader] = await Promise.all([read(false), read(true)]);
  const lines = Array.from({ length: 64 }, (_, n) => frame(n));
  const startedAt = performance.now();
  const cpu = process.cpuUsage();
  for (let sent = 0; sent < frames;) {
    const due = Math.min(frames, Math.ceil(((performance.now() - startedAt) / 1000) * rate));
    for (; sent < due; sent++) {
      sentAt[sent] = performance.now();
      record({ at: sent, direction: "in", line: lines[sent % 64] });
    }
    if (session.log.isOverloaded) await session.log.relieved();
    await pause(4);
  }
  session.log.end();
  await reader.ended;
  const { user, system } = process.cpuUsage(cpu);
  const seconds = (performance.now() - startedAt) / 1000;
  delays.sort((a, b) => a - b);
  const at = (share) => delays[Math.floor(delays.length * share)] ?? 0;
  await server.close();
  report({
    lost: frames - (received - 1),
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    cpuPerSecond: (user + system) / 1000 / seconds,
    rate: frames / seconds,
  });
}
