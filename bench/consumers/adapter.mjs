// Runs droid-acp, or its baseline, and reports what that one process used. `relay` and `memory` use a fake
// Droid.
//   adapter.mjs relay baseline|dragoman COUNT     the CPU time of COUNT streamed deltas
//   adapter.mjs memory SESSIONS TURNS          the idle memory after that many sessions and turns
//   adapter.mjs new cold|warm                  how long session/new takes with a real Droid
//   adapter.mjs first native|dragoman SERVERS  how long the first answer takes with a real Droid: from the
//                                              start of the agent, with that many MCP servers
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { producer } from "../measure.mjs";
import { connect, cpuMs, memoryMb, start } from "../processes.mjs";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const [what, ...args] = process.argv.slice(2);
const scratch = mkdtempSync(join(tmpdir(), "bench-adapter-"));
const bin = here("../../dist/bin/droid-acp.js");

const initialize = { protocolVersion: 1, clientCapabilities: {} };
const prompt = (sessionId, text) => ({ sessionId, prompt: [{ type: "text", text }] });
const fakeDroid = ["--droid", producer("droid")];

async function relay(variant, count) {
  const isBaseline = variant === "baseline";
  const script = isBaseline ? here("../producers/adapter-baseline.mjs") : bin;
  const agent = start(script, isBaseline ? [count] : fakeDroid, homedir());
  const { pid } = agent.child;
  let ask = () =>
    new Promise((resolve) => {
      agent.waiting.set(3, resolve);
      agent.child.stdin.write("go\n");
    });
  if (!isBaseline) {
    await agent.call("initialize", initialize);
    const { sessionId } = await agent.call("session/new", { cwd: scratch, mcpServers: [] });
    await agent.call("session/prompt", prompt(sessionId, "10"));
    ask = () => agent.call("session/prompt", prompt(sessionId, count));
  }
  const before = cpuMs(pid);
  await ask();
  const result = {
    cpuMs: cpuMs(pid) - before,
    rssMb: memoryMb(pid, "VmHWM"),
    updates: agent.updates(),
  };
  agent.child.kill("SIGKILL");
  return result;
}

async function memory(sessions, turns) {
  const agent = start(bin, fakeDroid, homedir());
  await agent.call("initialize", initialize);
  for (let session = 0; session < Number(sessions); session++) {
    const { sessionId } = await agent.call("session/new", { cwd: scratch, mcpServers: [] });
    for (let turn = 0; turn < Number(turns); turn++)
      await agent.call("session/prompt", prompt(sessionId, "200"));
  }
  // The adapter is idle once the work after the last turn, such as counting tokens, is done too.
  await new Promise((resolve) => setTimeout(resolve, 1500));
  const rss = memoryMb(agent.child.pid, "VmRSS");
  agent.child.stdin.end();
  await new Promise((resolve) => agent.child.once("exit", resolve));
  return { idleRssMb: rss, rssMb: rss };
}

/** The newest Droid, and a home in which it has one model with its own key. */
function realDroid(baseUrl) {
  const versions = here("../../test/real/droid/versions/");
  const droid = join(versions, "0.225.2/node_modules/@factory/cli-linux-x64/bin/droid");
  if (!existsSync(droid))
    throw new Error("Droid 0.225.2 is not installed; run `npm test` first, which installs it");
  const home = join(scratch, "home");
  const workspace = join(scratch, "workspace");
  mkdirSync(join(home, ".factory"), { recursive: true });
  mkdirSync(workspace);
  const model = {
    model: "m",
    displayName: "M",
    baseUrl,
    apiKey: "x",
    provider: "generic-chat-completion-api",
  };
  // Droid's own ACP mode ignores the option for the model (0.225.2).
  const settings = { customModels: [model], sessionDefaultSettings: { model: "custom:m" } };
  writeFileSync(join(home, ".factory/settings.json"), JSON.stringify(settings));
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    HTTPS_PROXY: "http://127.0.0.1:9",
    HTTP_PROXY: "http://127.0.0.1:9",
    NO_PROXY: "127.0.0.1",
  };
  return { droid, home, workspace, env };
}

async function newSession(kind) {
  const { droid, home, workspace, env } = realDroid("http://127.0.0.1:9/v1");
  const agent = start(
    bin,
    ["--droid", droid, "--model", "custom:m"],
    kind === "warm" ? workspace : home,
    env,
  );
  await agent.call("initialize", initialize);
  // A user takes longer than this to open a chat.
  if (kind === "warm") await new Promise((resolve) => setTimeout(resolve, 6000));
  const startedAt = performance.now();
  await agent.call("session/new", { cwd: workspace, mcpServers: [] });
  const wallMs = performance.now() - startedAt;
  agent.child.stdin.end();
  await new Promise((resolve) => agent.child.once("exit", resolve));
  return { wallMs };
}

/** A model that streams a short answer to every call. */
async function startModel() {
  const server = createServer((request, response) => {
    request.resume();
    if (!request.url.endsWith("/chat/completions")) return void response.writeHead(404).end();
    response.writeHead(200, { "content-type": "text/event-stream" });
    const event = (delta, finish_reason) =>
      `data: ${JSON.stringify({ id: "r", object: "chat.completion.chunk", model: "m", choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
    for (let word = 0; word < 10; word++) response.write(event({ content: `word ${word} ` }, null));
    response.end(`${event({}, "stop")}data: [DONE]\n\n`);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, url: `http://127.0.0.1:${server.address().port}` };
}

async function firstAnswer(variant, servers) {
  const model = await startModel();
  const { droid, workspace, env: base } = realDroid(`${model.url}/v1`);
  // Droid's own ACP mode needs some key even for own-key models.
  const env = { ...base, FACTORY_API_KEY: "fk-none" };
  const mcpServer = here("../../test/real/droid-acp/mcp-server.mjs");
  const mcpServers = Array.from({ length: Number(servers) }, (_, index) => ({
    name: `server${index}`,
    command: process.execPath,
    args: [mcpServer],
    env: [],
  }));
  const startedAt = performance.now();
  const agent =
    variant === "native"
      ? connect(droid, ["exec", "--output-format", "acp"], workspace, env)
      : start(bin, ["--droid", droid], workspace, env);
  await agent.call("initialize", initialize);
  const initialized = performance.now() - startedAt;
  const { sessionId } = await agent.call("session/new", { cwd: workspace, mcpServers });
  const opened = performance.now() - startedAt;
  await agent.call("session/prompt", prompt(sessionId, "hello"));
  const wallMs = performance.now() - startedAt;
  const firstMs = agent.firstChunkAt() - startedAt;
  agent.child.stdin.end();
  await new Promise((resolve) => agent.child.once("exit", resolve));
  model.server.closeAllConnections();
  return { wallMs, firstMs, initialized, opened };
}

try {
  const work = { relay, memory, new: newSession, first: firstAnswer }[what];
  console.log(JSON.stringify(await work(...args)));
} finally {
  // Droid may still be writing its logs.
  rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
}
process.exit(0);
