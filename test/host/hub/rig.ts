// Clients and agents of a hub that speak raw lines, so that tests see exactly what is sent.
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import {
  createHub,
  type Hub,
  type HubAgent,
  type HubClientOptions,
  type HubOptions,
} from "../../../src/host/hub/index.ts";
import { isJsonObject, type JsonObject } from "../../../src/base/index.ts";
import { type Channel, type CloseReason, memoryPair } from "../../../src/transport/wire/index.ts";

/** One end of a channel that keeps every line it gets. */
export class RawEnd {
  readonly lines: string[] = [];
  readonly channel: Channel;
  #waiting: (() => void)[] = [];
  #lastId = 0;

  constructor(channel: Channel, onFrame: (frame: JsonObject) => void = () => {}) {
    this.channel = channel;
    channel.open((line) => {
      this.lines.push(line);
      onFrame(frameOf(line));
      for (const wake of this.#waiting.splice(0)) wake();
    });
    void channel.closed.then(() => {
      for (const wake of this.#waiting.splice(0)) wake();
    });
  }

  get frames(): JsonObject[] {
    return this.lines.map(frameOf);
  }

  /** The texts of all messages so far. */
  get texts(): string[] {
    return this.frames.flatMap(textOf);
  }

  send(frame: JsonObject | string): void {
    void this.channel
      .send(typeof frame === "string" ? frame : JSON.stringify(frame))
      .catch(() => {});
  }

  /** Sends a request and resolves with its response. */
  async request(
    method: string,
    params: unknown,
    id: number | string = ++this.#lastId,
  ): Promise<JsonObject> {
    const before = this.lines.length;
    this.send({ jsonrpc: "2.0", id, method, params });
    return this.until((frame) => frame["id"] === id && !("method" in frame), before);
  }

  notify(method: string, params: unknown): void {
    this.send({ jsonrpc: "2.0", method, params });
  }

  /** Resolves with the first frame, from the line `from` on, that fits. Rejects if the channel closes first. */
  async until(fits: (frame: JsonObject) => boolean, from = 0): Promise<JsonObject> {
    let isClosed = false;
    void this.channel.closed.then(() => {
      isClosed = true;
    });
    for (let at = from; ;) {
      for (; at < this.lines.length; at++) {
        const frame = frameOf(this.lines[at] ?? "");
        if (fits(frame)) return frame;
      }
      if (isClosed) throw new Error(`closed after ${this.lines.join("\n")}`);
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
    }
  }

  untilMethod(method: string, from = 0): Promise<JsonObject> {
    return this.until((frame) => frame["method"] === method, from);
  }

  untilText(text: string): Promise<JsonObject> {
    return this.until((frame) => textOf(frame).includes(text));
  }
}

function frameOf(line: string): JsonObject {
  const value: unknown = JSON.parse(line);
  return isJsonObject(value) ? value : {};
}

function textOf(frame: JsonObject): string[] {
  const text = at(frame, "params", "update", "content", "text");
  return typeof text === "string" ? [text] : [];
}

/** The value at a path of keys. */
export function at(value: unknown, ...keys: string[]): unknown {
  return keys.reduce<unknown>(
    (inner, key) => (isJsonObject(inner) ? inner[key] : undefined),
    value,
  );
}

/** A message of the agent. */
export function update(sessionId: string, text: string): JsonObject {
  return {
    jsonrpc: "2.0",
    method: "session/update",
    params: {
      sessionId,
      update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } },
    },
  };
}

export type Handler = (frame: JsonObject, run: RawEnd) => unknown;

/** An agent whose processes are ends of channels in memory. */
export class RawAgent implements HubAgent {
  readonly name = "raw";
  readonly key = "raw";
  /** Its processes, oldest first. */
  readonly runs: RawEnd[] = [];
  /** The texts of all prompts that any of its processes got. */
  readonly prompts: string[] = [];
  capabilities: JsonObject = { loadSession: true };
  /** The error of the next start; undefined if it succeeds. */
  startError: Error | undefined;
  readonly #handlers: Readonly<Record<string, Handler>>;
  #sessions = 0;

  /** A handler returns the result of a request, or undefined to answer by itself. */
  constructor(handlers: Readonly<Record<string, Handler>> = {}) {
    this.#handlers = handlers;
  }

  get run(): RawEnd {
    const run = this.runs.at(-1);
    if (!run) throw new Error("the agent was not started");
    return run;
  }

  async open(): Promise<Channel> {
    if (this.startError) throw this.startError;
    const [hubEnd, agentEnd] = memoryPair();
    const run: RawEnd = new RawEnd(agentEnd, (frame) => this.#handle(frame, run));
    this.runs.push(run);
    return hubEnd;
  }

  #handle(frame: JsonObject, run: RawEnd): void {
    const { method, id, params } = frame;
    if (typeof method !== "string") return;
    if (method === "session/prompt") this.prompts.push(promptText(params));
    const handler = this.#handlers[method] ?? this.#defaults[method];
    if (!handler) {
      if (id !== undefined)
        run.send({ jsonrpc: "2.0", id, error: { code: -32601, message: "no" } });
      return;
    }
    const result = handler(frame, run);
    if (id !== undefined && result !== undefined) run.send({ jsonrpc: "2.0", id, result });
  }

  readonly #defaults: Readonly<Record<string, Handler>> = {
    initialize: () => ({
      protocolVersion: 1,
      agentCapabilities: this.capabilities,
      authMethods: [],
    }),
    "session/new": () => ({ sessionId: `s${++this.#sessions}` }),
    "session/load": ({ params }, run) => {
      run.send(update(String(at(params, "sessionId")), "replayed"));
      return {};
    },
    "session/resume": () => ({}),
    "session/prompt": ({ params }, run) => {
      run.send(update(String(at(params, "sessionId")), `echo ${promptText(params)}`));
      return { stopReason: "end_turn" };
    },
    "session/cancel": () => undefined,
  };
}

function promptText(params: unknown): string {
  const prompt = at(params, "prompt");
  return Array.isArray(prompt) ? String(at(prompt[0], "text")) : "";
}

export function prompt(sessionId: unknown, text: string): JsonObject {
  return { sessionId, prompt: [{ type: "text", text }] };
}

/** A hub that ends with the test. */
export function testHub(options: HubOptions = {}): Hub {
  const hub = createHub(options);
  onTestFinished(() => hub.close());
  return hub;
}

/** Connects a raw client to a hub. */
export function connect(
  hub: Hub,
  agent: HubAgent,
  options: Partial<HubClientOptions> = {},
): RawEnd & { readonly gone: Promise<void>; lose(): Promise<CloseReason> } {
  const [hubEnd, clientEnd] = memoryPair();
  const served = hub.serve(hubEnd, { agent, owner: "me", ...options });
  const end = new RawEnd(clientEnd);
  return Object.assign(end, { gone: served.closed, lose: () => clientEnd.close() });
}

export const INITIALIZE = { protocolVersion: 1, clientCapabilities: {} };

/** A hub with an agent that has these handlers, and a client with a session. */
export async function started(
  handlers: Readonly<Record<string, Handler>> = {},
  options: HubOptions = {},
  client: Partial<HubClientOptions> = {},
) {
  const [agent, hub] = [new RawAgent(handlers), testHub(options)];
  return { agent, hub, ...(await withSession(hub, agent, client)) };
}

/** A handler that leaves its requests open. */
export const OPEN: Handler = () => undefined;

/** The agent asks its clients for permission. */
export function askPermission(run: RawEnd, sessionId: string, id: number, more: object = {}): void {
  const params = { sessionId, options: [], ...more };
  run.send({ jsonrpc: "2.0", id, method: "session/request_permission", params });
}

/** A folder that is removed after the test. */
export async function scratchFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "hub-")));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Connects a client, initializes it and opens a session. */
export async function withSession(
  hub: Hub,
  agent: HubAgent,
  options: Partial<HubClientOptions> = {},
): Promise<{ client: ReturnType<typeof connect>; sessionId: string }> {
  const client = connect(hub, agent, options);
  await client.request("initialize", INITIALIZE);
  const opened = await client.request("session/new", { cwd: "/work", mcpServers: [] });
  return { client, sessionId: String(at(opened, "result", "sessionId")) };
}
