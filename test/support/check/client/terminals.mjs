import { spawn } from "node:child_process";
import process from "node:process";
import { has } from "./options.mjs";
import { invalid, Refusal } from "./requests.mjs";

const DEFAULT_LIMIT = 1024 * 1024;
const terminals = new Map();
let created = 0;

// A client that ends must not leave commands behind.
process.on("exit", () => {
  if (has("leaves-terminals")) return;
  for (const terminal of terminals.values()) terminal.kill();
});

class Terminal {
  #child;
  #limit;
  #bytes = Buffer.alloc(0);
  #isCut = false;
  exit;

  constructor(child, limit) {
    this.#child = child;
    this.#limit = limit;
    const take = (chunk) => this.#take(chunk);
    child.stdout.on("data", take);
    child.stderr.on("data", take);
    this.ended = new Promise((resolve) => {
      child.once("close", (exitCode, signal) => {
        this.exit = { exitCode, signal };
        resolve(this.exit);
      });
    });
  }

  #take(chunk) {
    const all = Buffer.concat([this.#bytes, chunk]);
    if (all.length > this.#limit) this.#isCut = true;
    if (all.length <= this.#limit) this.#bytes = all;
    else if (has("keeps-the-beginning")) this.#bytes = all.subarray(0, this.#limit);
    else this.#bytes = all.subarray(all.length - this.#limit);
  }

  output() {
    let bytes = this.#bytes;
    // The first bytes may be the rest of a character.
    while (this.#isCut && bytes.length > 0 && (bytes[0] & 0xc0) === 0x80) bytes = bytes.subarray(1);
    const exitStatus =
      this.exit ?? (has("early-exit-status") ? { exitCode: null, signal: null } : undefined);
    return {
      output: bytes.toString(),
      truncated: this.#isCut,
      ...(exitStatus === undefined ? {} : { exitStatus }),
    };
  }

  kill() {
    try {
      if (has("kills-leader")) this.#child.kill("SIGKILL");
      else process.kill(-this.#child.pid, "SIGKILL");
    } catch {
      // It has ended.
    }
  }
}

async function create({ command, args = [], env = [], cwd, outputByteLimit }) {
  if (typeof command !== "string" || !Array.isArray(args)) throw invalid("command is needed");
  if (!process.argv.includes("--allow")) throw new Refusal(-32603, "denied");
  const more = Object.fromEntries(env.map(({ name, value }) => [name, value]));
  const options = {
    cwd: cwd ?? process.cwd(),
    env: { ...process.env, ...more },
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  };
  const words = has("shell-args")
    ? ["/bin/sh", ["-c", [command, ...args].join(" ")]]
    : [command, args];
  const child = spawn(...words, options);
  await new Promise((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", (error) => {
      if (has("unknown-command-ok")) resolve();
      else reject(new Refusal(-32603, error.message));
    });
  });
  created += 1;
  const terminalId = has("one-terminal-id") ? "t" : `t${created}`;
  const terminal =
    child.pid === undefined
      ? {
          ended: Promise.resolve({ exitCode: 0 }),
          output: () => ({ output: "", truncated: false }),
          kill: () => {},
        }
      : new Terminal(child, outputByteLimit ?? DEFAULT_LIMIT);
  terminals.set(terminalId, terminal);
  return { terminalId };
}

export async function terminalCall(method, params) {
  if (method === "terminal/create") return create(params);
  const terminal = terminals.get(params.terminalId);
  if (!terminal) throw new Refusal(-32002, "no such terminal");
  switch (method) {
    case "terminal/output":
      return terminal.output();
    case "terminal/wait_for_exit":
      return terminal.ended;
    case "terminal/kill":
      terminal.kill();
      return {};
    case "terminal/release":
      terminal.kill();
      if (!has("keeps-released")) terminals.delete(params.terminalId);
      return {};
    default:
      throw new Refusal(-32601, `unknown method ${method}`);
  }
}
