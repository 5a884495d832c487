// Measures another process, and talks to it over its stdin and stdout.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const TICK_MS = 10;

/** The CPU time of a process so far. Works only on Linux, like the real Droid used here. */
export function cpuMs(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

export function memoryMb(pid, field) {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
}

export function start(script, scriptArgs, cwd, env = process.env) {
  return connect(process.execPath, [script, ...scriptArgs], cwd, env);
}

export function connect(command, args, cwd, env) {
  const child = spawn(command, args, { cwd, env, stdio: ["pipe", "pipe", "inherit"] });
  const waiting = new Map();
  let sessionUpdates = 0;
  let firstChunkAt;
  // Parse only answers, so that this reader is not the bottleneck.
  createInterface({ input: child.stdout }).on("line", (line) => {
    if (line.includes('"agent_message_chunk"')) firstChunkAt ??= performance.now();
    if (line.includes('"session/update"')) return void sessionUpdates++;
    const frame = JSON.parse(line);
    waiting.get(frame.id)?.(frame);
  });
  let ids = 0;
  const call = (method, params) => {
    const id = ++ids;
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    return new Promise((resolve, reject) => {
      waiting.set(id, ({ result, error }) =>
        error ? reject(new Error(error.message)) : resolve(result),
      );
    });
  };
  return { child, call, waiting, updates: () => sessionUpdates, firstChunkAt: () => firstChunkAt };
}
