// Measures a fleet of real processes, or a server without one for comparison.
//   fleet.mjs serve       one `dragoman serve`
//   fleet.mjs fleet N     N NATS servers, two workers and two gateways
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { producer } from "../measure.mjs";
import { cpuMs, memoryMb } from "../processes.mjs";
import { connectSocket } from "../socket.mjs";

const [what, count = "1"] = process.argv.slice(2);
const TOKEN = "b".repeat(40);
const SESSIONS = 20;
const folder = mkdtempSync(join(tmpdir(), "dragoman-bench-"));
const bin = fileURLToPath(new URL("../../dist/bin/dragoman.js", import.meta.url));
const nats = ["/usr/sbin/nats-server", "/usr/bin/nats-server", "/usr/local/bin/nats-server"].find(
  (file) => existsSync(file),
);
const running = new Set();
const now = () => performance.timeOrigin + performance.now();

function run(command, args) {
  const child = spawn(command, args, {
    cwd: folder,
    env: { ...process.env, HOME: folder },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let err = "";
  child.stderr.on("data", (text) => (err += text));
  running.add(child);
  child.once("exit", () => running.delete(child));
  return { child, err: () => err };
}

let files = 0;
/** Starts a command of Dragoman, and waits until it is ready. */
async function dragoman(...args) {
  const file = join(folder, `port-${++files}`);
  const process_ = run(process.execPath, [bin, ...args, "--listen", "0", "--port-file", file]);
  while (!existsSync(file) || !readFileSync(file, "utf8").endsWith("\n")) {
    if (process_.child.exitCode !== null) throw new Error(process_.err());
    await pause(20);
  }
  return { ...process_, port: Number(readFileSync(file, "utf8")) };
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  return port;
}

async function startServers(size) {
  const ports = [];
  for (let index = 0; index < size * 2; index++) ports.push(await freePort());
  const routes = JSON.stringify(ports.slice(size).map((port) => `nats://127.0.0.1:${port}`));
  return Promise.all(
    Array.from({ length: size }, async (_, index) => {
      const data = join(folder, `n${index}`);
      mkdirSync(data);
      const cluster =
        size === 1
          ? ""
          : `cluster { name: bench, listen: "127.0.0.1:${ports[size + index]}", routes: ${routes} }\n`;
      const file = join(folder, `n${index}.conf`);
      writeFileSync(
        file,
        `server_name: n${index}\nlisten: "127.0.0.1:${ports[index]}"\njetstream { store_dir: "${data}" }\n${cluster}`,
      );
      const server = run(nats, ["-c", file]);
      while (!server.err().includes("Server is ready")) await pause(20);
      return { ...server, url: `nats://127.0.0.1:${ports[index]}` };
    }),
  );
}

const settings = join(folder, "settings.json");
const agent = { command: process.execPath, args: [producer("fleet-agent")] };
writeFileSync(settings, JSON.stringify({ agent_servers: { bench: agent } }));
const token = join(folder, "token");
writeFileSync(token, `${TOKEN}\n`, { mode: 0o600 });
const repo = join(folder, "repo");
mkdirSync(repo);
const hosting = ["--settings", settings, "-a", "bench", "--root", `repo=${repo}`];

async function startAll() {
  if (what === "serve") {
    const server = await dragoman("serve", ...hosting, "--token-file", token);
    return { gateways: [server], workers: [], servers: [] };
  }
  const servers = await startServers(Number(count));
  const urls = servers.flatMap(({ url }) => ["--nats", url]);
  const worker = (name) => {
    const names = ["--worker-name", name, "--volume", "disk", "--max-sessions", "200"];
    return dragoman("worker", ...urls, ...hosting, ...names);
  };
  const workers = [await worker("w1"), await worker("w2")];
  const gateway = () => dragoman("gateway", ...urls, "--token-file", token);
  return { servers, workers, gateways: [await gateway(), await gateway()] };
}

/** A client of a gateway, with what it heard since it was asked last. */
async function client({ port }) {
  const heard = { count: 0, texts: [], on: () => {} };
  const url = `ws://127.0.0.1:${port}/acp${what === "serve" ? "" : "/bench"}`;
  const { call, notify, socket } = await connectSocket(url, TOKEN, ({ params }) => {
    const { update } = params;
    const text = update?.content?.text ?? update?.title ?? "";
    heard.count++;
    heard.on(text, params);
  });
  const _meta = { "dragoman/seq": true };
  await call("initialize", { protocolVersion: 1, clientCapabilities: {}, _meta });
  return { call, notify, socket, heard };
}

const open = async ({ call }) =>
  (await call("session/new", { cwd: "/repo", mcpServers: [] })).sessionId;
const prompt = ({ call }, sessionId, text) =>
  call("session/prompt", { sessionId, prompt: [{ type: "text", text }] });

const quantile = (numbers, part) =>
  numbers.toSorted((a, b) => a - b)[
    Math.min(numbers.length - 1, Math.floor(numbers.length * part))
  ];

/** Updates per second from agents to clients. */
async function rate(one, sessions, kind, each) {
  const pieces = kind === "text" ? /(?<=^| )\d+ x+/g : undefined;
  let seen = 0;
  one.heard.on = (text) => (seen += pieces ? (text.match(pieces) ?? []).length : 1);
  const startedAt = performance.now();
  await Promise.all(sessions.map((id) => prompt(one, id, `burst ${kind} ${each}`)));
  const seconds = (performance.now() - startedAt) / 1000;
  if (seen !== sessions.length * each) throw new Error(`${seen} updates arrived`);
  return seen / seconds;
}

/** The time from the agent to the client, for single updates. */
async function latency(one, session, kind, updates) {
  const times = [];
  one.heard.on = (text) => {
    // Of several pieces in one, the oldest waited longest.
    times.push(now() - Number.parseFloat(text));
  };
  await prompt(one, session, `stamps ${kind} ${updates} 30`);
  return { median: quantile(times, 0.5), p99: quantile(times, 0.99) };
}

/** The time from the client's cancel to the agent. */
async function cancelTimes(one, session, times) {
  const found = [];
  for (let n = 0; n < times; n++) {
    const started = new Promise((resolve) => (one.heard.on = resolve));
    const answer = prompt(one, session, "wait");
    await started;
    const at = now();
    one.notify("session/cancel", { sessionId: session });
    found.push((await answer)._meta.at - at);
  }
  return { median: quantile(found, 0.5), max: Math.max(...found) };
}

/** From the death of a gateway until its client follows the session on another one. */
async function gatewayFailover([first, second]) {
  const one = await client(first);
  const session = await open(one);
  const closed = once(one.socket, "close");
  first.child.kill("SIGKILL");
  await closed;
  const startedAt = performance.now();
  const other = await client(second);
  await other.call("_dragoman/session/attach", { sessionId: session, after: 0 });
  const ms = performance.now() - startedAt;
  other.socket.terminate();
  return ms;
}

/** From the death of a worker until its client learns that the outcome of the turn is unknown. */
async function workerFailover({ workers, gateways }) {
  const one = await client(gateways[1]);
  const session = await open(one);
  const started = new Promise((resolve) => (one.heard.on = resolve));
  const answer = prompt(one, session, "wait").then(
    () => "ended",
    () => "unknown",
  );
  await started;
  const startedAt = performance.now();
  // Which of them has the session is not known, so both die; the second is started again at once.
  for (const { child } of workers) child.kill("SIGKILL");
  await dragoman(...workers[1].child.spawnargs.slice(2).filter(keep));
  if ((await answer) !== "unknown") throw new Error("the turn went on");
  return performance.now() - startedAt;
}

/** Removes the port and its file from the arguments of a command. */
function keep(word, at, words) {
  const taken = ["--listen", "--port-file"];
  return !taken.includes(word) && !taken.includes(words[at - 1]);
}

/** The longest time without an update while the servers elect another leader. */
async function serverFailover(servers, one, session) {
  let last = performance.now();
  let longest = 0;
  one.heard.on = () => {
    const at = performance.now();
    longest = Math.max(longest, at - last);
    last = at;
  };
  const turn = prompt(one, session, "stamps tool 400 30");
  await pause(2000);
  longest = 0;
  servers[0].child.kill("SIGKILL");
  await turn;
  return longest;
}

/** How many bytes a server stores for each entry of a log. */
async function bytesPerEntry([{ url }]) {
  const args = [bin, "fleet", "status", "--nats", url, "-o", "events"];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder });
  const { stores } = JSON.parse(stdout.split("\n")[0]);
  const { bytes, entries } = stores.find(({ name }) => name === "DR_EV");
  return bytes / entries;
}

const fleet = await startAll();
try {
  const [gateway] = fleet.gateways;
  const one = await client(gateway);
  const memory = ({ child }) => memoryMb(child.pid, "VmRSS");
  const first = await open(one);
  const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
  const size = () => ({
    workersMb: sum(fleet.workers.map(memory)),
    gatewayMb: memory(gateway),
    serversMb: sum(fleet.servers.map(memory)),
  });
  // The first updates need memory and code that later ones share.
  await prompt(one, first, "burst tool 500");
  const result = { before: size() };
  const sessions = [first];
  while (sessions.length < SESSIONS) sessions.push(await open(one));
  result.after = size();
  result.oneTool = await rate(one, [first], "tool", 3000);
  const cpuBefore = [...fleet.workers, gateway, ...fleet.servers].map(({ child }) =>
    cpuMs(child.pid),
  );
  result.allTool = await rate(one, sessions, "tool", 300);
  const cpuAfter = [...fleet.workers, gateway, ...fleet.servers].map(({ child }) =>
    cpuMs(child.pid),
  );
  result.cpuUsPerUpdate = ((sum(cpuAfter) - sum(cpuBefore)) * 1000) / (SESSIONS * 300);
  result.allText = await rate(one, sessions, "text", 1000);
  result.tool = await latency(one, first, "tool", 300);
  result.text = await latency(one, first, "text", 300);
  result.cancel = await cancelTimes(one, first, 20);
  if (what === "fleet") {
    result.bytes = await bytesPerEntry(fleet.servers);
    if (fleet.servers.length > 1) result.serverMs = await serverFailover(fleet.servers, one, first);
    one.socket.terminate();
    result.gatewayMs = await gatewayFailover(fleet.gateways);
    result.workerMs = await workerFailover(fleet);
  }
  console.log(JSON.stringify(result));
} finally {
  const ended = [...running].map((child) => once(child, "exit"));
  for (const child of running) child.kill("SIGKILL");
  await Promise.all(ended);
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);
