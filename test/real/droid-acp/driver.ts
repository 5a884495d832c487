import type { ContentBlock, McpServer, RequestPermissionResponse } from "@agentclientprotocol/sdk";
import type { ClientCapabilities } from "@agentclientprotocol/sdk/unstable";
import type { ElicitationReply } from "../../../src/client/index.ts";
import type { Channel } from "../../../src/entries/wire.ts";
import type { TapEvent } from "../../../src/transport/wire/index.ts";
import { FrameJudge, isJson, type Json } from "./judge.ts";
import { chunkText } from "./reading.ts";

/** Answers a request from the agent. The signal aborts when the answer is no longer needed. */
export type Answer<T> = (params: Json, signal: AbortSignal) => T | Promise<T>;

/** The answers of a driver. The test does not expect a request that has no answer here. */
export interface Answers {
  readonly permission?: Answer<RequestPermissionResponse>;
  readonly form?: Answer<ElicitationReply>;
}

export interface DriverOptions {
  readonly channel: Channel;
  readonly capabilities: ClientCapabilities;
  readonly answers: Answers;
  /** Whether our library uses the unstable protocol. The SDK has no such switch. */
  readonly unstable: boolean;
}

/** A session, as the agent reports it when it opens. */
export interface Opened {
  readonly sessionId: string;
  readonly modes: unknown;
  readonly configOptions: unknown;
}

/** Instructions for a session. */
export interface Instructions {
  readonly mode: "append" | "override";
  readonly text: string;
}

/** Which session to open, in which folder, and with which instructions. */
export interface SessionTarget {
  readonly sessionId: string;
  readonly cwd: string;
  readonly mcpServers?: McpServer[];
  readonly systemPrompt?: Instructions;
}

/**
 * An ACP client, built on some library, with the operations that the scenarios need and a record of
 * what it received. Tests see what the library delivers; in addition, each frame is checked.
 */
export abstract class Driver {
  readonly updates: Json[] = [];
  /** The session of each update, in the order of `updates`. */
  readonly sessions: string[] = [];
  /** All requests and notifications from the agent, in order: `update <kind>` or the method. */
  readonly log: string[] = [];
  readonly judge: FrameJudge = new FrameJudge();
  #waiting: { readonly test: () => boolean; readonly done: () => void }[] = [];

  /** Sends any request. Undefined if the library rejects invalid requests itself. */
  abstract readonly raw: ((method: string, params: Json) => Promise<Json>) | undefined;

  /** Sends `initialize` and returns the response. */
  abstract start(): Promise<Json>;
  abstract authenticate(methodId: string): Promise<unknown>;
  abstract open(
    cwd: string,
    mcpServers?: McpServer[],
    systemPrompt?: Instructions,
  ): Promise<Opened>;
  abstract load(target: SessionTarget): Promise<Opened>;
  abstract resume(target: SessionTarget): Promise<Opened>;
  abstract fork(target: SessionTarget): Promise<Opened>;
  abstract close(sessionId: string): Promise<unknown>;
  abstract delete(sessionId: string): Promise<unknown>;
  /** Returns the sessions of all pages. */
  abstract list(cwd?: string): Promise<readonly Json[]>;
  /** Sets a title and returns the one that the agent stored. */
  abstract setTitle(sessionId: string, title: string): Promise<unknown>;
  abstract setMode(sessionId: string, modeId: string): Promise<unknown>;
  /** Sets an option and returns all options. */
  abstract setOption(sessionId: string, configId: string, value: string): Promise<unknown>;
  /** Sends a prompt and returns the response. */
  abstract ask(sessionId: string, prompt: ContentBlock[]): Promise<Json>;
  abstract cancel(sessionId: string): Promise<void>;
  /** Disconnects. */
  abstract end(): Promise<unknown>;

  async newSession(cwd: string, mcpServers?: McpServer[]): Promise<string> {
    return (await this.open(cwd, mcpServers)).sessionId;
  }

  /** Sends a prompt and returns the stop reason. */
  async prompt(sessionId: string, prompt: string | ContentBlock[]): Promise<unknown> {
    const blocks: ContentBlock[] =
      typeof prompt === "string" ? [{ type: "text", text: prompt }] : prompt;
    return (await this.ask(sessionId, blocks))["stopReason"];
  }

  /** Resolves as soon as the test passes. It runs after every message from the agent. */
  until(test: () => boolean): Promise<void> {
    if (test()) return Promise.resolve();
    return new Promise((done) => this.#waiting.push({ test, done }));
  }

  /** Resolves as soon as the log has an entry. */
  seen(entry: string): Promise<void> {
    return this.until(() => this.log.includes(entry));
  }

  /** The text of all chunks of a kind, joined. */
  text(kind = "agent_message_chunk", from = 0): string {
    return this.ofKind(kind, from).map(chunkText).join("");
  }

  ofKind(kind: string, from = 0): Json[] {
    return this.updates.slice(from).filter((update) => update["sessionUpdate"] === kind);
  }

  /** The text of all message chunks of one session, joined. */
  textOf(sessionId: string): string {
    const own = this.updates.filter((_, index) => this.sessions[index] === sessionId);
    return own
      .filter((update) => update["sessionUpdate"] === "agent_message_chunk")
      .map(chunkText)
      .join("");
  }

  /** A tap for the connection. */
  protected readonly saw = ({ direction, line }: TapEvent): void => {
    this.judge.saw(direction === "in" ? "agent" : "client", line);
    const frame: unknown = direction === "in" ? JSON.parse(line) : undefined;
    if (!isJson(frame) || typeof frame["method"] !== "string") return;
    const { update } = isJson(frame["params"]) ? frame["params"] : {};
    const isUpdate = frame["method"] === "session/update" && isJson(update);
    this.log.push(isUpdate ? `update ${String(update["sessionUpdate"])}` : frame["method"]);
    this.#wake();
  };

  /** Records an update that the library delivered. */
  protected received(sessionId: string, update: Json): void {
    this.updates.push(update);
    this.sessions.push(sessionId);
    this.#wake();
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const one of waiting) {
      if (one.test()) one.done();
      else this.#waiting.push(one);
    }
  }
}

/**
 * Waits for a response and for the updates before it: a library may deliver updates a few microtasks
 * later than it resolves a call.
 */
export async function afterUpdates<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } finally {
    await new Promise((resolve) => setImmediate(resolve));
  }
}
