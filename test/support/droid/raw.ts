import { spawn, type ChildProcessByStdio } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { asObject, isJsonObject, type JsonObject } from "../../../src/base/index.ts";
import type { DroidHome } from "./home.ts";

export type Frame = JsonObject;

export interface RecordedFrame {
  /** `in`: the test sent the frame. `out`: Droid sent it. */
  readonly direction: "in" | "out";
  /** Milliseconds since the start. */
  readonly at: number;
  readonly frame: Frame;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

interface Waiter {
  matches(frame: Frame): boolean;
  resolve(frame: Frame): void;
  reject(error: Error): void;
}

/**
 * Sends and receives Droid's raw frames, for tests and tools that inspect the protocol itself. Uses
 * nothing from `src`.
 */
export class RawDroid {
  readonly frames: RecordedFrame[] = [];
  /** Lines on stdout that are not JSON objects. */
  readonly garbage: string[] = [];
  readonly exited: Promise<Exit>;
  stderr = "";
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #started = performance.now();
  readonly #waiters = new Set<Waiter>();
  #exit: Exit | undefined;
  #lastId = 0;

  constructor(executable: string, home: DroidHome, args: readonly string[] = []) {
    const all = ["exec", "--input-format", "stream-jsonrpc", "--output-format", "stream-jsonrpc"];
    this.#child = spawn(executable, [...all, "--cwd", home.workspace, ...args], {
      cwd: home.workspace,
      env: home.env,
      stdio: ["pipe", "pipe", "pipe"],
      // In its own process group, so that killing the group includes the commands Droid has started.
      detached: true,
    });
    // Writing to a process that has just died is expected here; `exited` reports the exit.
    this.#child.stdin.on("error", () => {});
    this.#child.stderr.on("data", (chunk: Buffer) => (this.stderr += chunk.toString()));
    createInterface({ input: this.#child.stdout, crlfDelay: Infinity }).on("line", (line) =>
      this.#receive(line),
    );
    this.exited = new Promise((resolve, reject) => {
      this.#child.once("error", reject);
      this.#child.once("close", (code, signal) => {
        this.#exit = { code, signal };
        for (const waiter of this.#waiters)
          waiter.reject(new Error(`droid has exited: ${JSON.stringify(this.#exit)}`));
        this.#waiters.clear();
        resolve(this.#exit);
      });
    });
  }

  get pid(): number {
    if (this.#child.pid === undefined) throw new Error("droid did not start");
    return this.#child.pid;
  }

  /** The notifications so far, without their envelope. */
  notifications(from = 0): Frame[] {
    return this.frames.slice(from).flatMap(({ direction, frame }) => {
      const notification = direction === "out" ? notificationOf(frame) : undefined;
      return notification === undefined ? [] : [notification];
    });
  }

  /** Sends a request and returns its response, or the error without an id that older versions send. */
  async request(method: string, params: Frame = {}): Promise<Frame> {
    const from = this.frames.length;
    const id = this.post(method, params);
    return this.until(
      (frame) => frame["type"] === "response" && (frame["id"] === id || frame["id"] === null),
      from,
    );
  }

  /** Sends a request without waiting. Returns its id, which identifies related frames. */
  post(method: string, params: Frame = {}): string {
    this.#lastId += 1;
    const id = String(this.#lastId);
    this.send({ type: "request", id, method, params });
    return id;
  }

  respond(id: unknown, result: Frame): void {
    this.send({ type: "response", id, result });
  }

  send(frame: Frame): void {
    const whole = { jsonrpc: "2.0", factoryApiVersion: "1.0.0", ...frame };
    this.#record("in", whole);
    this.sendLine(JSON.stringify(whole));
  }

  sendLine(line: string): void {
    this.#child.stdin.write(`${line}\n`);
  }

  endInput(): void {
    this.#child.stdin.end();
  }

  /** The first matching frame from Droid, among those recorded since `from` and those still to come. */
  until(matches: (frame: Frame) => boolean, from = 0): Promise<Frame> {
    const known = this.frames
      .slice(from)
      .find(({ direction, frame }) => direction === "out" && matches(frame));
    if (known !== undefined) return Promise.resolve(known.frame);
    if (this.#exit !== undefined) return Promise.reject(new Error("droid has exited"));
    return new Promise((resolve, reject) => {
      this.#waiters.add({ matches, resolve, reject });
    });
  }

  async untilNotification(matches: (notification: Frame) => boolean, from = 0): Promise<Frame> {
    const frame = await this.until((candidate) => {
      const notification = notificationOf(candidate);
      return notification !== undefined && matches(notification);
    }, from);
    return notificationOf(frame) ?? {};
  }

  untilState(state: string, from = 0): Promise<Frame> {
    return this.untilNotification(isState(state), from);
  }

  signal(name: NodeJS.Signals): void {
    if (this.#exit === undefined) this.#child.kill(name);
  }

  /** Kills the whole process group. */
  async kill(): Promise<Exit> {
    try {
      process.kill(-this.pid, "SIGKILL");
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
    }
    return this.exited;
  }

  #receive(line: string): void {
    if (line === "") return;
    const frame = parse(line);
    if (frame === undefined) {
      this.garbage.push(line);
      return;
    }
    this.#record("out", frame);
    for (const waiter of this.#waiters) {
      if (!waiter.matches(frame)) continue;
      this.#waiters.delete(waiter);
      waiter.resolve(frame);
    }
  }

  #record(direction: "in" | "out", frame: Frame): void {
    this.frames.push({ direction, at: Math.round(performance.now() - this.#started), frame });
  }
}

export function notificationOf(frame: Frame): Frame | undefined {
  if (frame["method"] !== "droid.session_notification") return undefined;
  return asObject(asObject(frame["params"])["notification"]);
}

export function isState(state: string): (notification: Frame) => boolean {
  return (notification) =>
    notification["type"] === "droid_working_state_changed" && notification["newState"] === state;
}

export function isRequest(method: string): (frame: Frame) => boolean {
  return (frame) => frame["type"] === "request" && frame["method"] === method;
}

function parse(line: string): Frame | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
