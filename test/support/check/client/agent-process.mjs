// The agent's process, its lines, and the end of everything that it started.
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import process from "node:process";
import { setTimeout as pause } from "node:timers/promises";
import { has } from "./options.mjs";

const STAGE_MS = 400;
/** Longer than the limit of a check that is in a hurry. */
const LATE_MS = 700;
const MAX_LINE_BYTES = 64 * 1024 * 1024;
const SMALL_LINE_BYTES = 1024 * 1024;

/** Ends every process with a mark. It also runs when the client is killed, because its stdin then ends. */
const WATCHDOG = `
const { readdirSync, readFileSync } = require("node:fs");
process.stdin.resume();
process.on("SIGINT", () => {});
process.on("SIGTERM", () => {});
process.stdin.on("end", () => {
  for (const pid of readdirSync("/proc").filter((name) => /^\\d+$/.test(name))) {
    try {
      const marked = readFileSync("/proc/" + pid + "/environ", "latin1").includes(process.argv[1]);
      if (marked && Number(pid) !== process.pid) process.kill(Number(pid), "SIGKILL");
    } catch {}
  }
});`;

export class AgentProcess {
  stderr = "";
  isEnding = false;
  #child;
  #mark = `CHECK_CLIENT_${randomUUID()}`;
  #watchdog;
  #handlers;
  #open = new Map();
  #id = 0;
  /** The incomplete line. */
  #parts = [];
  #bytes = 0;
  #text = "";
  #burst = 0;
  #requests = 0;
  #last = Promise.resolve();

  constructor(command, handlers) {
    this.#handlers = handlers;
    if (!has("leaves-children")) {
      const env = { PATH: process.env.PATH };
      const stdio = ["pipe", "ignore", "ignore"];
      this.#watchdog = spawn(process.execPath, ["-e", WATCHDOG, this.#mark], {
        env,
        stdio,
        detached: true,
      });
    }
    this.#child = spawn("/bin/sh", ["-c", `exec ${command}`], {
      stdio: ["pipe", "pipe", "pipe"],
      env: { ...process.env, CHECK_MARK: this.#mark },
    });
    this.#child.stdin.on("error", () => {});
    if (!has("ignores-stderr")) {
      this.#child.stderr.on("data", (chunk) => {
        this.stderr = (this.stderr + chunk).slice(-10_000);
      });
    }
    this.#child.stdout.on("data", (chunk) => this.#take(chunk));
    this.died = new Promise((resolve) => {
      this.#child.once("exit", (code, signal) => resolve({ code, signal }));
      // An agent that has closed its stdout can say nothing anymore. The stdout of one that exits ends first.
      this.#child.stdout.once("end", () => {
        setTimeout(() => resolve({ code: null, signal: "end of its stdout" }), STAGE_MS).unref();
      });
    });
  }

  request(method, params) {
    const id = ++this.#id;
    return new Promise((resolve, reject) => {
      this.#open.set(id, { resolve, reject });
      this.write({ id, method, params });
    });
  }

  notify(method, params) {
    this.write({ method, params });
  }

  write(message) {
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  /** Closes stdin, and ends an agent that goes on by force. */
  async end() {
    if (this.isEnding) return;
    this.isEnding = true;
    const exited = new Promise((resolve) => {
      if (this.#child.exitCode !== null || this.#child.signalCode !== null) resolve();
      else this.#child.once("exit", resolve);
    });
    if (has("kills-at-once")) this.#child.kill("SIGKILL");
    this.#child.stdin.end();
    for (const signal of ["SIGTERM", "SIGKILL"]) {
      const timer = new Promise((resolve) => {
        setTimeout(() => resolve("late"), STAGE_MS);
      });
      if ((await Promise.race([exited, timer])) !== "late") break;
      this.#child.kill(signal);
    }
    await exited;
    if (!this.#watchdog) return;
    for (const pid of marked(this.#mark)) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // It has ended.
      }
    }
    this.#watchdog.stdin.end();
  }

  #take(chunk) {
    this.#burst = 0;
    if (has("decodes-chunks")) {
      this.#text += chunk.toString();
      const lines = this.#text.split("\n");
      this.#text = lines.pop();
      for (const line of lines) this.#takeLine(line);
      return;
    }
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      const line = Buffer.concat([...this.#parts.splice(0), chunk.subarray(start, end)]);
      this.#bytes = 0;
      this.#takeLine(line.toString());
      start = end + 1;
    }
    this.#parts.push(chunk.subarray(start));
    this.#bytes += chunk.length - start;
    const limit = has("dies-of-large-lines") ? SMALL_LINE_BYTES : MAX_LINE_BYTES;
    if (this.#bytes > limit) process.exit(1);
  }

  #takeLine(line) {
    let message;
    try {
      message = JSON.parse(line);
    } catch {
      if (has("noise-fatal")) process.exit(1);
      if (has("answers-noise"))
        this.write({ id: null, error: { code: -32700, message: "parse error" } });
      return;
    }
    if (typeof message !== "object" || message === null) return;
    const { id, method, params, result, error } = message;
    if (method === undefined) return this.#takeAnswer(id, result, error);
    if (id === undefined) {
      if (has("drops-updates-in-a-burst") && ++this.#burst > 50) return;
      this.#handlers.notification(method, params);
      return;
    }
    if (has("few-requests") && ++this.#requests > 60) return;
    const answer = () => this.#answer(method, params, id);
    if (has("one-at-a-time")) this.#last = this.#last.then(answer);
    else void answer();
  }

  #takeAnswer(id, result, error) {
    const open = this.#open.get(id);
    this.#open.delete(id);
    if (!open && has("stray-fatal")) process.exit(1);
    if (!open) return;
    if (error) open.reject(Object.assign(new Error(error.message), { code: error.code }));
    else open.resolve(result);
  }

  async #answer(method, params, id) {
    if (has("never-answers")) return;
    if (has("answers-late")) await pause(LATE_MS);
    if (has("silent-unknown") && method.endsWith("unknown")) return;
    const own = has("numeric-ids") && /^\d+$/.test(id) ? Number(id) : id;
    try {
      const result = await this.#handlers.request(method, params, id);
      if (result !== undefined) this.write({ id: own, result });
      if (has("answers-twice")) this.write({ id: own, result });
    } catch (error) {
      const { code = -32603, message } = error;
      this.write({ id: own, error: { code: Number.isInteger(code) ? code : -32603, message } });
    }
  }
}

/** The running processes that have the mark in their environment. */
function marked(mark) {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return pid !== process.pid && readFileSync(`/proc/${pid}/environ`, "latin1").includes(mark);
      } catch {
        return false;
      }
    });
}
