// Times one prompt to a real agent: `warm-time.mjs AGENT cold|warm`. For `warm`, another prompt has
// started the agent before.
import { spawn } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { prepareAgent } from "../../node_modules/.cache/bench/real-agents.js";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const PAUSE_MS = { droid: 10_000 };
const [name, how] = process.argv.slice(2);
const dragoman = process.env.DRAGOMAN_BIN ?? here("../../dist/bin/dragoman.js");
const droid = "../../test/real/droid/versions/0.225.2/node_modules";
const repository = {
  root: here("../../"),
  droidAcp: here("../../dist/bin/droid-acp.js"),
  droid: here(`${droid}/@factory/cli-linux-x64/bin/droid`),
};
const agent = await prepareAgent(name, repository, 3);
const runtime = join(agent.cwd, "../run");
await mkdir(runtime, { mode: 0o700 });
const env = { ...agent.env, XDG_RUNTIME_DIR: runtime };
const quoted = agent.command.map((word) => `'${word}'`).join(" ");
const argv = ["--no-stdin", "--warm", how === "warm" ? "1m" : "off", "--agent-command", quoted];

try {
  if (how === "warm") {
    await prompt();
    // Few users are faster. droid-acp prepares the next Droid five seconds after a session was opened.
    await delay(PAUSE_MS[name] ?? 0);
  }
  const started = performance.now();
  await prompt();
  const wallMs = performance.now() - started;
  if (how === "warm") await run(["hub", "stop"]);
  process.stdout.write(`${JSON.stringify({ wallMs })}\n`);
} finally {
  await agent.remove();
}

async function prompt() {
  const out = await run([...argv, "Say that you are done."]);
  if (!out.includes("Done.")) throw new Error(`unexpected answer: ${out}`);
}

async function run(args) {
  const child = spawn(process.execPath, [dragoman, ...args], {
    cwd: agent.cwd,
    env,
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let out = "";
  let err = "";
  child.stdout.setEncoding("utf8").on("data", (text) => (out += text));
  child.stderr.setEncoding("utf8").on("data", (text) => (err += text));
  const code = await new Promise((resolve) => child.once("close", resolve));
  if (code !== 0) throw new Error(`exit code ${code}: ${err}`);
  return out;
}
