// Times one run of a command from start to exit, which is how long a user waits.
// Usage: cli-time.mjs NAME, where NAME is one of the commands below.
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const [name] = process.argv.slice(2);
const agent = [here("../producers/client-agent.mjs"), "1"];
const dragoman = process.env.DRAGOMAN_BIN ?? here("../../dist/bin/dragoman.js");
const cache = here("../../node_modules/.cache/acpx");
const runtime = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
const node22 = join(cache, "node_modules", runtime, "bin/node");
const acpx = join(cache, "node_modules/acpx/dist/cli.js");
const bare = here("cli-bare.mjs");

const COMMANDS = {
  node: (node) => [node, "-e", "0"],
  version: (node) => [node, dragoman, "--version"],
  help: (node) => [node, dragoman, "--help"],
  bare: (node) => [node, bare, ...agent],
  prompt: (node) => [node, dragoman, "--agent-command", `${node} ${agent.join(" ")}`, "go"],
  "demo-prompt": (node) => [node, dragoman, "-a", "demo", "hello"],
  "check-none": (node) => [node, dragoman, "check", "-a", "demo", "--model", "none"],
  check: (node) => [node, dragoman, "check", "-a", "demo"],
  "acpx-node": () => [node22, "-e", "0"],
  "acpx-version": () => [node22, acpx, "--version"],
  "acpx-bare": () => [node22, bare, ...agent],
  "acpx-prompt": () => [node22, acpx, "--agent", `${node22} ${agent.join(" ")}`, "exec", "go"],
};

const home = await mkdtemp(join(tmpdir(), "dragoman-bench-"));
const [command, ...args] = COMMANDS[name](process.execPath);
const started = performance.now();
const child = spawn(command, args, {
  cwd: home,
  env: { ...process.env, HOME: home, XDG_CONFIG_HOME: "", XDG_STATE_HOME: "" },
  stdio: ["ignore", "ignore", "inherit"],
  detached: true,
});
const code = await new Promise((resolve) => child.once("exit", resolve));
const wallMs = performance.now() - started;
await rm(home, { recursive: true, force: true });
if (code !== 0) throw new Error(`${name} exited with code ${code}`);
process.stdout.write(`${JSON.stringify({ wallMs })}\n`);
