/**
 * The checking agent's process. The client starts it as its agent. It forwards its stdin to the checker
 * over a socket, and does what the checker orders, so that a scenario runs in the checker.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync } from "node:fs";
import { connectSocket, type Channel } from "../../../../transport/wire/index.ts";
import { parseOrder, type FromRelay, type RelayAction, type RelayOrder } from "./relay-protocol.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** A child and its child, which wait until something ends them. They have no pipes of the agent. */
const GRANDCHILD = "setInterval(() => {}, 1000)";
const CHILD = `
const { spawn } = require("node:child_process");
const child = spawn(process.execPath, ["-e", ${JSON.stringify(GRANDCHILD)}], { detached: true, stdio: "ignore" });
process.send(child.pid);
process.disconnect();
setInterval(() => {}, 1000);`;

/**
 * Runs the checking agent on this process's stdin and stdout. `path` is the socket of the checker.
 * Ends the process when the checker says so, or goes away.
 */
export async function runAgentRelay(path: string): Promise<void> {
  const channel = await connectSocket({ path }, { maxLineBytes: Number.MAX_SAFE_INTEGER });
  await new RelayProcess(channel).run();
}

class RelayProcess {
  readonly #channel: Channel;
  /** Orders are carried out one after another. */
  #last: Promise<void> = Promise.resolve();
  #holdsOn = false;

  constructor(channel: Channel) {
    this.#channel = channel;
  }

  async run(): Promise<void> {
    this.#tell({ type: "hello", pid: process.pid, cwd: process.cwd() });
    for (const signal of SIGNALS) {
      process.on(signal, () => this.#onSignal(signal));
    }
    // A client that closes the agent's stdout must not end the scenario.
    process.stdout.on("error", () => {});
    process.stderr.on("error", () => {});
    process.stdin.on("data", (chunk: Buffer) => {
      this.#tell({ type: "input", bytes: chunk.toString("base64") });
    });
    process.stdin.on("end", () => this.#tell({ type: "end" }));
    process.stdin.on("error", () => this.#tell({ type: "end" }));
    this.#channel.open((line) => {
      const order = parseOrder(line);
      if (order) this.#last = this.#last.then(() => this.#carryOut(order));
    });
    await this.#channel.closed;
    process.exit(0);
  }

  #tell(message: FromRelay): void {
    this.#channel.send(JSON.stringify(message)).catch(() => {});
  }

  /** A signal ends the process once the checker knows about it, unless the checker asked it to stay. */
  #onSignal(signal: (typeof SIGNALS)[number]): void {
    const sent = this.#channel.send(JSON.stringify({ type: "signal", signal } satisfies FromRelay));
    if (this.#holdsOn) return;
    void sent.catch(() => {}).then(() => process.exit(signal === "SIGINT" ? 130 : 143));
  }

  async #carryOut({ order, action }: RelayOrder): Promise<void> {
    const pids = await this.#do(action);
    this.#tell(pids ? { type: "done", order, pids } : { type: "done", order });
  }

  /** Resolves with the processes that the action started. */
  async #do(action: RelayAction): Promise<readonly number[] | undefined> {
    switch (action.type) {
      case "startChildren":
        return startChildren();
      case "exit":
        return process.exit(action.code);
      case "write":
        await written(process.stdout, action.bytes);
        break;
      case "complain":
        await written(process.stderr, action.bytes);
        break;
      case "closeOutput":
        closeSync(1);
        break;
      case "stopReading":
        process.stdin.pause();
        break;
      case "holdOn":
        this.#holdsOn = true;
        break;
      case "die":
        process.removeAllListeners(action.signal);
        process.kill(process.pid, action.signal);
    }
    return undefined;
  }
}

/** Resolves when the stream has taken the bytes. */
function written(stream: NodeJS.WriteStream, bytes: string): Promise<void> {
  return new Promise((resolve) => {
    stream.write(Buffer.from(bytes, "base64"), () => resolve());
  });
}

async function startChildren(): Promise<readonly number[]> {
  const child = spawn(process.execPath, ["-e", CHILD], {
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  const [grandchild]: unknown[] = await once(child, "message");
  if (child.connected) child.disconnect();
  child.unref();
  return [child.pid, grandchild].filter((pid) => typeof pid === "number");
}
