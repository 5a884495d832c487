/** Agents in separate processes, and two clients to drive them: ours and the official SDK's. */
import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import { client as sdkClient, ndJsonStream } from "@agentclientprotocol/sdk";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { openProcess, tapped } from "../../src/entries/wire.ts";
import { bundleOf, type Bundle } from "../support/agents/bundle.ts";
import { FrameChecker } from "../support/schema.ts";
import { isJson, TestClient, type Answer, type Json } from "./harness.ts";

/** The client interface that the protocol tests need. */
export interface Driver {
  call(method: string, params?: unknown): Promise<Json>;
  notify(method: string, params: unknown): Promise<void>;
  /** All updates, in order. */
  readonly updates: readonly Json[];
  /** Resolves once the agent has sent this: `update <kind>` or a method. */
  waitFor(entry: string): Promise<void>;
  close(): Promise<unknown>;
}

export interface DriverOptions {
  readonly env?: Record<string, string>;
  readonly answers?: Readonly<Record<string, Answer>>;
}

let bundle: Bundle | undefined;
const open: (() => Promise<unknown>)[] = [];

/** Bundles a module for the agent processes of a test file. Their connections close after each test. */
export function withBundle(source: string): void {
  beforeAll(async () => {
    bundle = await bundleOf(source);
  }, 60_000);
  afterEach(async () => {
    await Promise.all(open.splice(0).map((close) => close()));
  });
  afterAll(() => bundle?.remove());
}

/** The arguments for Node to run code that imports the bundle as `lib`. */
export function programOf(code: string): string[] {
  if (!bundle) throw new Error("call withBundle first");
  return ["--input-type=module", "-e", `import * as lib from "${bundle.url}";\n${code}`];
}

export const demoProgram = () => programOf('await lib.runDemoAgent("0.0.0-test");');

export interface PeerDriver extends Driver, TestClient {
  readonly pid: number;
  /** Called for each line from the agent. */
  onLine?: (line: string) => void;
  call(method: string, params?: unknown): Promise<Json>;
  waitFor(entry: string): Promise<void>;
  readonly updates: Json[];
}

/** A driver with our own peer and process channel. */
export async function peerDriver(options: DriverOptions = {}): Promise<PeerDriver> {
  const channel = await openProcess({
    command: process.execPath,
    args: demoProgram(),
    env: options.env ?? {},
  });
  const watched = tapped(channel, ({ direction, line }) => {
    if (direction === "in") driver.onLine?.(line);
  });
  const client = new TestClient(watched, options.answers ? { answers: options.answers } : {});
  open.push(() => client.peer.close());
  const driver: PeerDriver = Object.assign(client, {
    pid: channel.pid,
    notify: (method: string, params: unknown) => client.peer.notify(method, params),
    close: () => client.peer.close(),
  });
  return driver;
}

/** A driver with the official SDK's client, on the plain pipes of a Node child process. */
export async function sdkDriver(options: DriverOptions = {}): Promise<Driver> {
  const child = spawn(process.execPath, demoProgram(), {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, ...options.env },
  });
  const exited = new Promise((resolve) => child.once("exit", resolve));
  const updates: Json[] = [];
  const log: string[] = [];
  const waiters: { entry: string; done: () => void }[] = [];
  const record = (entry: string): void => {
    log.push(entry);
    for (const waiter of waiters) if (waiter.entry === entry) waiter.done();
  };
  const checker = new FrameChecker("agent");
  const app = sdkClient({ name: "test" }).onNotification("session/update", ({ params }) => {
    updates.push({ ...params.update });
    record(`update ${params.update.sessionUpdate}`);
  });
  for (const [method, answer] of Object.entries(options.answers ?? {})) {
    const asIs = (params: unknown): unknown => params;
    app.onRequest(method, asIs, ({ params }) => {
      record(method);
      const { signal } = new AbortController();
      return answer(isJson(params) ? params : {}, { id: 0, bytes: 0, signal });
    });
  }
  const tap = (from: "agent" | "client") =>
    new TransformStream<Uint8Array, Uint8Array>({
      transform: lineWatcher((line) => checker.saw(from, line)),
    });
  const toAgent = tap("client");
  void toAgent.readable.pipeTo(Writable.toWeb(child.stdin)).catch(() => {});
  const fromAgent = Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>;
  const connection = app.connect(
    ndJsonStream(toAgent.writable, fromAgent.pipeThrough(tap("agent"))),
  );
  const close = async (): Promise<void> => {
    connection.close();
    child.stdin.end();
    child.kill();
    await exited;
    expect(checker.faults).toEqual([]);
  };
  open.push(close);
  return {
    updates,
    close,
    async call(method, params = {}) {
      const result: unknown = await connection.agent.request(method, params);
      return isJson(result) ? result : {};
    },
    notify: (method, params) => connection.agent.notify(method, params),
    waitFor: (entry) =>
      log.includes(entry)
        ? Promise.resolve()
        : new Promise((done) => waiters.push({ entry, done })),
  };
}

/** Reports complete lines and passes the bytes on unchanged. */
function lineWatcher(report: (line: string) => void) {
  let rest = "";
  const decoder = new TextDecoder();
  return (chunk: Uint8Array, controller: { enqueue(chunk: Uint8Array): void }): void => {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line !== "") report(line);
    controller.enqueue(chunk);
  };
}
