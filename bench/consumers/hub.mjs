// Runs a hub, or its baseline, in a process of its own, and reports what that one process used.
//   hub.mjs relay baseline|proxy|log COUNT    the CPU time of COUNT relayed updates
//   hub.mjs latency direct|proxy|log|serve COUNT   the median time of COUNT requests, one after the other
//   hub.mjs stalled proxy|log MB              the memory while an agent sends MB to a client that stops reading
//   hub.mjs load CLIENTS SESSIONS UPDATES     a server with a stalled client and CLIENTS that read
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { producer } from "../measure.mjs";
import { cpuMs, memoryMb, start } from "../processes.mjs";
import { connectSocket } from "../socket.mjs";

const [what, ...args] = process.argv.slice(2);
const cwd = fileURLToPath(new URL("..", import.meta.url));
const initialize = { protocolVersion: 1, clientCapabilities: {} };
const prompt = (sessionId, text) => ({ sessionId, prompt: [{ type: "text", text }] });

function startRelay(variant, ...agent) {
  return variant === "baseline"
    ? start(producer("relay-baseline"), agent.slice(1), cwd)
    : start(producer("relay-hub"), [variant, ...agent], cwd);
}

async function relay(variant, count) {
  const agent = startRelay(variant, "client-agent", count);
  const { pid } = agent.child;
  await agent.call("initialize", initialize);
  const { sessionId } = await agent.call("session/new", { cwd, mcpServers: [] });
  const before = cpuMs(pid);
  await agent.call("session/prompt", prompt(sessionId, "go"));
  const result = { cpuMs: cpuMs(pid) - before, rssMb: memoryMb(pid, "VmHWM") };
  if (agent.updates() !== Number(count)) throw new Error(`${agent.updates()} updates arrived`);
  agent.child.stdin.end();
  await once(agent.child, "exit");
  return result;
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

async function latency(variant, count) {
  const { call, end } = await open(variant);
  await call("initialize", initialize);
  const { sessionId } = await call("session/new", { cwd, mcpServers: [] });
  const times = [];
  for (let n = 0; n < Number(count); n++) {
    const startedAt = performance.now();
    await call("session/set_mode", { sessionId, modeId: "x" });
    times.push(performance.now() - startedAt);
  }
  await end();
  // The first ones run code that is not compiled yet.
  return { latencyMs: median(times.slice(times.length / 5)) };
}

async function open(variant) {
  if (variant === "serve") return openSocket(await startServer("client-agent", "0"));
  const agent =
    variant === "direct"
      ? start(producer("client-agent"), ["0"], cwd)
      : startRelay(variant, "client-agent", "0");
  const end = async () => {
    agent.child.stdin.end();
    await once(agent.child, "exit");
  };
  return { call: agent.call, end };
}

/** A server in a process of its own. */
async function startServer(...agent) {
  const child = spawn(process.execPath, [producer("relay-hub"), "serve", ...agent], {
    cwd,
    stdio: ["pipe", "pipe", "inherit"],
  });
  const [url] = await once(child.stdout.setEncoding("utf8"), "data");
  return { child, url: url.trim() };
}

/** A client of a server. `heard` gets every message that answers nothing. */
async function openSocket({ child, url }, heard) {
  const { call, socket } = await connectSocket(url, "token", heard);
  const end = async () => {
    socket.terminate();
    child.stdin.end();
    await once(child, "exit");
  };
  return { call, end, socket };
}

/** A client that opens sessions and stops reading. Waits until its server has nothing more to do. */
async function stalled(variant, megabytes) {
  const agent = startRelay(variant, "load-agent");
  const { pid } = agent.child;
  await agent.call("initialize", initialize);
  const { sessionId } = await agent.call("session/new", { cwd, mcpServers: [] });
  void agent.call("session/prompt", prompt(sessionId, `${Number(megabytes) * 100} 10000`));
  agent.child.stdout.pause();
  await untilQuiet(pid);
  const result = { rssMb: memoryMb(pid, "VmHWM") };
  agent.child.kill();
  return result;
}

/** Waits until a process has used no CPU time for a second. */
async function untilQuiet(pid) {
  for (let quiet = 0, last = cpuMs(pid); quiet < 10;) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    const now = cpuMs(pid);
    quiet = now === last ? quiet + 1 : 0;
    last = now;
  }
}

async function load(clients, sessions, updates) {
  const server = await startServer("load-agent");
  const { pid } = server.child;
  const open = async (client, ids) => {
    await client.call("initialize", initialize);
    for (let n = 0; n < Number(sessions); n++) {
      ids.push((await client.call("session/new", { cwd, mcpServers: [] })).sessionId);
    }
  };
  const lazy = await openSocket(server);
  const lazyIds = [];
  await open(lazy, lazyIds);
  lazy.socket.pause();
  for (const id of lazyIds) lazy.call("session/prompt", prompt(id, "2000 5000")).catch(() => {});

  let disorder = 0;
  let seen = 0;
  const members = await Promise.all(
    Array.from({ length: Number(clients) }, async () => {
      const next = new Map();
      const ids = [];
      const client = await openSocket(server, ({ params: { sessionId, update } }) => {
        const number = Number.parseInt(update.content.text, 10);
        if (number !== (next.get(sessionId) ?? 0)) disorder++;
        next.set(sessionId, number + 1);
        seen++;
      });
      await open(client, ids);
      return { client, ids };
    }),
  );
  const before = cpuMs(pid);
  const startedAt = performance.now();
  await Promise.all(
    members.flatMap(({ client, ids }) =>
      ids.map((id) => client.call("session/prompt", prompt(id, `${updates} 200`))),
    ),
  );
  const wallMs = performance.now() - startedAt;
  const expected = Number(clients) * Number(sessions) * Number(updates);
  const result = {
    wallMs,
    cpuMs: cpuMs(pid) - before,
    rssMb: memoryMb(pid, "VmHWM"),
    seen,
    missing: expected - seen,
    disorder,
  };
  for (const { client } of members) client.socket.terminate();
  await lazy.end();
  return result;
}

console.log(JSON.stringify(await { relay, latency, stalled, load }[what](...args)));
process.exit(0);
