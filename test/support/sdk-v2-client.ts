import { rpcCodeOf } from "../../src/transport/rpc/index.ts";
/**
 * The official SDK's client for the draft of ACP v2, on any channel. It validates every frame of the
 * agent against the schema, and keeps the frames in the order of the wire.
 */
import * as acp from "@agentclientprotocol/sdk/experimental/v2";
import { expect } from "vitest";
import { streamFromChannel, tapped, type Channel } from "../../src/entries/wire.ts";
import { FrameChecker, type SchemaVersion } from "./schema.ts";

type Json = Record<string, unknown>;

export function isJson(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

type Question<T> = (params: Json, signal: AbortSignal) => T | Promise<T>;

export interface SdkV2Options {
  /** Answers `session/request_permission`. Default: the first option. */
  readonly permission?: Question<acp.RequestPermissionResponse>;
  /** Answers `elicitation/create`. Default: cancel. */
  readonly elicitation?: Question<acp.CreateElicitationResponse>;
  readonly capabilities?: acp.ClientCapabilities;
  readonly schema?: SchemaVersion;
}

export class SdkV2Client {
  /** The frames of the agent, in the order of the wire. */
  readonly frames: Json[] = [];
  readonly checker: FrameChecker;
  readonly #connection: acp.ClientConnection;
  readonly #options: SdkV2Options;
  readonly #waiters = new Set<() => void>();
  readonly #channel: Channel;

  constructor(channel: Channel, options: SdkV2Options = {}) {
    this.#options = options;
    this.#channel = channel;
    this.checker = new FrameChecker("agent", options.schema ?? "v2");
    const watched = tapped(channel, ({ direction, line }) => {
      this.checker.saw(direction === "in" ? "agent" : "client", line);
      if (direction === "out") return;
      const frame: unknown = JSON.parse(line);
      if (isJson(frame)) this.frames.push(frame);
      for (const wake of this.#waiters) wake();
    });
    const app = acp.client({ name: "test" });
    app.onNotification(acp.methods.client.session.update, () => {});
    app.onNotification(acp.methods.client.elicitation.complete, () => {});
    app.onRequest(acp.methods.client.session.requestPermission, ({ params, signal }) => {
      const first = { outcome: "selected", optionId: params.options[0]?.optionId ?? "" } as const;
      return options.permission?.({ ...params }, signal) ?? { outcome: first };
    });
    app.onRequest(acp.methods.client.elicitation.create, ({ params, signal }) => {
      return options.elicitation?.({ ...params }, signal) ?? { action: "cancel" };
    });
    const stream: acp.Stream = streamFromChannel(watched);
    this.#connection = app.connect(stream);
  }

  async initialize(): Promise<Json> {
    return await this.call("initialize", {
      protocolVersion: 2,
      info: { name: "test", version: "0" },
      capabilities: this.#options.capabilities ?? {},
    });
  }

  async call(method: string, params: unknown = {}): Promise<Json> {
    const result: unknown = await this.#connection.agent.request(method, params);
    return isJson(result) ? result : {};
  }

  notify(method: string, params: unknown): Promise<void> {
    return this.#connection.agent.notify(method, params);
  }

  async newSession(params: Json = {}): Promise<string> {
    const result = await this.call("session/new", { cwd: process.cwd(), ...params });
    return String(result["sessionId"]);
  }

  /** Sends a prompt. Resolves with the id of the message once the agent has inserted it. */
  async send(sessionId: string, text: string): Promise<string> {
    const result = await this.call("session/prompt", {
      sessionId,
      prompt: [{ type: "text", text }],
    });
    return String(result["messageId"]);
  }

  /** Sends a prompt and resolves with the idle state that ends its turn. */
  async prompt(sessionId: string, text: string): Promise<Json> {
    const from = this.frames.length;
    await this.send(sessionId, text);
    return await this.idle(from);
  }

  /** Resolves with the first idle state among the frames from an index on. */
  async idle(from = 0): Promise<Json> {
    return await this.update((update) => isState(update, "idle"), from);
  }

  cancel(sessionId: string): Promise<void> {
    return this.notify("session/cancel", { sessionId });
  }

  /** Resolves with the first update that fits, among the frames from an index on. */
  async update(fits: (update: Json) => boolean, from = 0): Promise<Json> {
    for (;;) {
      const found = this.updates(from).find(fits);
      if (found) return found;
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          this.#waiters.delete(wake);
          resolve();
        };
        this.#waiters.add(wake);
      });
    }
  }

  updates(from = 0): Json[] {
    return this.frames.slice(from).flatMap(({ method, params }) => {
      const update = method === "session/update" && isJson(params) ? params["update"] : undefined;
      return isJson(update) ? [update] : [];
    });
  }

  ofKind(kind: string, from = 0): Json[] {
    return this.updates(from).filter((update) => update["sessionUpdate"] === kind);
  }

  /** The frames in words: states, kinds of updates, methods, results and error codes. */
  log(from = 0): string[] {
    return this.frames.slice(from).map((frame) => {
      const { method, params, error } = frame;
      if (typeof method === "string" && method !== "session/update") return method;
      if (isJson(error)) return `error ${String(error["code"])}`;
      if (method === undefined) return "result";
      const update = isJson(params) && isJson(params["update"]) ? params["update"] : {};
      if (update["sessionUpdate"] !== "state_update") return String(update["sessionUpdate"]);
      const reason = update["stopReason"];
      const state = String(update["state"]);
      return typeof reason === "string" ? `${state} ${reason}` : state;
    });
  }

  /** The agent's text, joined. */
  text(from = 0): string {
    return this.ofKind("agent_message_chunk", from)
      .map(({ content }) => (isJson(content) ? content["text"] : undefined))
      .filter((text) => typeof text === "string")
      .join("");
  }

  /** The bytes of a terminal as text. */
  output(terminalId: unknown): string {
    let bytes = Buffer.alloc(0);
    for (const update of this.updates()) {
      if (update["terminalId"] !== terminalId) continue;
      const { data, output } = update;
      if (isJson(output)) bytes = Buffer.from(String(output["data"]), "base64");
      if (typeof data === "string") bytes = Buffer.concat([bytes, Buffer.from(data, "base64")]);
    }
    return bytes.toString("utf8");
  }

  async close(): Promise<void> {
    this.#connection.close();
    await this.#channel.close();
    expect(this.checker.faults.slice(0, 5), "schema faults in the agent's frames").toEqual([]);
  }
}

export function isState(update: Json, state: string): boolean {
  return update["sessionUpdate"] === "state_update" && update["state"] === state;
}

/** The code of the error that a call was answered with. */
export async function codeOf(call: Promise<unknown>): Promise<unknown> {
  try {
    await call;
    return "no error";
  } catch (error) {
    return rpcCodeOf(error) ?? error;
  }
}
