import type {
  ClientCapabilities,
  ContentBlock,
  McpServer,
  RequestPermissionResponse,
} from "@agentclientprotocol/sdk";
import type { ElicitationReply } from "../../../src/entries/dragoman.ts";
import type { Channel, TapEvent } from "../../../src/entries/wire.ts";
import { FrameJudge, isJson, type Json } from "./judge.ts";
import { chunkText } from "./reading.ts";

/** Answers one of the agent's questions; the signal says that no answer is wanted any more. */
export type Answer<T> = (params: Json, signal: AbortSignal) => T | Promise<T>;

/** What a driver answers; a question that is not named here is one the test does not expect. */
export interface Answers {
  readonly permission?: Answer<RequestPermissionResponse>;
  readonly form?: Answer<ElicitationReply>;
}

export interface DriverOptions {
  readonly channel: Channel;
  readonly capabilities: ClientCapabilities;
  readonly answers: Answers;
}

/** A session as it was opened. */
export interface Opened {
  readonly sessionId: string;
  readonly modes: unknown;
  readonly configOptions: unknown;
}

/** Which session, and where. */
export interface Place {
  readonly sessionId: string;
  readonly cwd: string;
  readonly mcpServers?: McpServer[];
}

/**
 * An ACP client made with some library, in the words of the scenarios, and what was heard through it.
 * What the library itself makes of the wire is what a test sees; each frame is judged besides.
 */
export abstract class Driver {
  readonly updates: Json[] = [];
  /** Whose update it was, in the order of `updates`. */
  readonly sessions: string[] = [];
  /** Everything the agent said and asked, in the order of the wire: `update <kind>` or the method. */
  readonly log: string[] = [];
  readonly judge = new FrameJudge();
  #waiting: { readonly test: () => boolean; readonly done: () => void }[] = [];

  /** Sends anything; absent where the library refuses by itself what cannot be right. */
  abstract readonly raw: ((method: string, params: Json) => Promise<Json>) | undefined;

  /** Says hello, and gives the agent's answer. */
  abstract start(): Promise<Json>;
  abstract authenticate(methodId: string): Promise<unknown>;
  abstract open(cwd: string, mcpServers?: McpServer[]): Promise<Opened>;
  abstract load(place: Place): Promise<Opened>;
  abstract resume(place: Place): Promise<Opened>;
  abstract fork(place: Place): Promise<Opened>;
  abstract close(sessionId: string): Promise<unknown>;
  abstract delete(sessionId: string): Promise<unknown>;
  /** The sessions of all pages. */
  abstract list(cwd?: string): Promise<readonly Json[]>;
  abstract setMode(sessionId: string, modeId: string): Promise<unknown>;
  /** Sets an option, and gives all of them. */
  abstract setOption(sessionId: string, configId: string, value: string): Promise<unknown>;
  /** Prompts, and gives the answer. */
  abstract ask(sessionId: string, prompt: ContentBlock[]): Promise<Json>;
  abstract cancel(sessionId: string): Promise<void>;
  /** Leaves. */
  abstract end(): Promise<unknown>;

  async newSession(cwd: string, mcpServers?: McpServer[]): Promise<string> {
    return (await this.open(cwd, mcpServers)).sessionId;
  }

  /** Prompts, and gives the stop reason. */
  async prompt(sessionId: string, prompt: string | ContentBlock[]): Promise<unknown> {
    const blocks: ContentBlock[] =
      typeof prompt === "string" ? [{ type: "text", text: prompt }] : prompt;
    return (await this.ask(sessionId, blocks))["stopReason"];
  }

  /** Resolves as soon as something holds of what was heard. */
  until(test: () => boolean): Promise<void> {
    if (test()) return Promise.resolve();
    return new Promise((done) => this.#waiting.push({ test, done }));
  }

  /** Resolves when an entry stands in the log. */
  seen(entry: string): Promise<void> {
    return this.until(() => this.log.includes(entry));
  }

  /** What was said, put together. */
  text(kind = "agent_message_chunk", from = 0): string {
    return this.ofKind(kind, from).map(chunkText).join("");
  }

  ofKind(kind: string, from = 0): Json[] {
    return this.updates.slice(from).filter((update) => update["sessionUpdate"] === kind);
  }

  /** What was said in one session, put together. */
  textOf(sessionId: string): string {
    const own = this.updates.filter((_, index) => this.sessions[index] === sessionId);
    return own
      .filter((update) => update["sessionUpdate"] === "agent_message_chunk")
      .map(chunkText)
      .join("");
  }

  /** For a tap on the connection. */
  protected readonly saw = ({ direction, line }: TapEvent): void => {
    this.judge.saw(direction === "in" ? "agent" : "client", line);
    const frame: unknown = direction === "in" ? JSON.parse(line) : undefined;
    if (!isJson(frame) || typeof frame["method"] !== "string") return;
    const { update } = isJson(frame["params"]) ? frame["params"] : {};
    const isUpdate = frame["method"] === "session/update" && isJson(update);
    this.log.push(isUpdate ? `update ${String(update["sessionUpdate"])}` : frame["method"]);
    this.#wake();
  };

  /** The library handed over an update. */
  protected heard(sessionId: string, update: Json): void {
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
 * An answer, once everything that stood before it on the wire has been heard: a library may hand over
 * updates some promises later than it resolves a call.
 */
export async function afterUpdates<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } finally {
    await new Promise((resolve) => setImmediate(resolve));
  }
}
