/** A client for tests, on our own Peer, that has every frame of the agent's checked by the schema. */
import { afterEach, expect } from "vitest";
import {
  memoryPair,
  serveAgent,
  type AgentDefinition,
  type ServeOptions,
} from "../../src/entries/agent.ts";
import { Peer, type RequestContext } from "../../src/rpc/index.ts";
import { tapped, type Channel, type CloseReason } from "../../src/entries/wire.ts";
import { FrameChecker, type SchemaVersion } from "../support/schema.ts";

export type Json = Record<string, unknown>;

export function isJson(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export type Answer = (params: Json, context: RequestContext) => unknown;

export interface TestClientOptions {
  readonly capabilities?: Json;
  /** What the agent may ask, by method. */
  readonly answers?: Readonly<Record<string, Answer>>;
  readonly version?: SchemaVersion;
  /** Whether to leave out `initialize`. */
  readonly raw?: boolean;
  readonly onUpdate?: (update: Json, sessionId: string) => void;
}

/** Everything a client can offer. */
export const EVERYTHING: Json = {
  fs: { readTextFile: true, writeTextFile: true },
  terminal: true,
  auth: { terminal: true },
  elicitation: { form: {}, url: {} },
  session: { configOptions: { boolean: {} }, notices: {}, compaction: {} },
};

const checkers: FrameChecker[] = [];

afterEach(() => {
  const faults = checkers.splice(0).flatMap((checker) => checker.faults);
  expect(faults, "what the schema has against the frames of the agent").toEqual([]);
});

/** A channel of the client's side whose incoming frames are judged. */
export function checked(channel: Channel, version?: SchemaVersion): Channel {
  const checker = new FrameChecker("agent", version);
  checkers.push(checker);
  return tapped(channel, ({ direction, line }) => {
    checker.saw(direction === "in" ? "agent" : "client", line);
  });
}

export class TestClient {
  readonly peer: Peer;
  /** Everything the agent said and asked, in order: `update <kind>` or the method. */
  readonly log: string[] = [];
  readonly updates: Json[] = [];
  readonly closed: Promise<CloseReason>;
  readonly channel: Channel;
  readonly #waiting: { readonly test: (entry: string) => boolean; readonly done: () => void }[] =
    [];

  constructor(channel: Channel, options: TestClientOptions = {}) {
    this.channel = channel;
    const { answers = {}, onUpdate } = options;
    this.peer = new Peer(checked(channel, options.version), {
      handlers: {
        request: (method, params, context) => {
          this.#note(method);
          const answer = answers[method];
          if (!answer) throw new Error(`the test client was asked for ${method}`);
          return answer(isJson(params) ? params : {}, context);
        },
        notification: (method, params) => {
          const given = isJson(params) ? params : {};
          const { update, sessionId } = given;
          if (method === "session/update" && isJson(update)) {
            this.updates.push(update);
            onUpdate?.(update, String(sessionId));
            this.#note(`update ${String(update["sessionUpdate"])}`);
          } else {
            this.#note(method);
          }
        },
      },
    });
    this.closed = this.peer.closed;
  }

  async initialize(capabilities: Json = {}): Promise<Json> {
    return await this.call("initialize", {
      protocolVersion: 1,
      clientCapabilities: capabilities,
      clientInfo: { name: "test", version: "0" },
    });
  }

  async call(method: string, params: unknown = {}): Promise<Json> {
    const result = await this.peer.call(method, params);
    if (!isJson(result)) throw new Error(`${method} was answered with ${JSON.stringify(result)}`);
    return result;
  }

  async newSession(params: Json = {}): Promise<string> {
    const result = await this.call("session/new", {
      cwd: process.cwd(),
      mcpServers: [],
      ...params,
    });
    return String(result["sessionId"]);
  }

  /** Prompts, and gives the stop reason. */
  async prompt(sessionId: string, text: string): Promise<unknown> {
    const prompt = [{ type: "text", text }];
    return (await this.call("session/prompt", { sessionId, prompt }))["stopReason"];
  }

  cancel(sessionId: string): Promise<void> {
    return this.peer.notify("session/cancel", { sessionId });
  }

  /** Resolves when the log has, or gets, an entry. */
  seen(entry: string): Promise<void> {
    if (this.log.includes(entry)) return Promise.resolve();
    return new Promise((done) => this.#waiting.push({ test: (one) => one === entry, done }));
  }

  /** What the agent said, put together. */
  text(kind = "agent_message_chunk"): string {
    return this.updates
      .filter((update) => update["sessionUpdate"] === kind)
      .map((update) => {
        const content = update["content"];
        const text = isJson(content) ? content["text"] : undefined;
        return typeof text === "string" ? text : "";
      })
      .join("");
  }

  ofKind(kind: string): Json[] {
    return this.updates.filter((update) => update["sessionUpdate"] === kind);
  }

  #note(entry: string): void {
    this.log.push(entry);
    for (const waiting of this.#waiting.splice(0)) {
      if (waiting.test(entry)) waiting.done();
      else this.#waiting.push(waiting);
    }
  }
}

export interface Served {
  readonly client: TestClient;
  /** Resolves when the agent has ended. */
  readonly served: Promise<CloseReason>;
}

/** Serves a definition to a test client in this process. */
export async function serve<S>(
  definition: AgentDefinition<S>,
  options: TestClientOptions & ServeOptions = {},
): Promise<Served> {
  const [ours, theirs] = memoryPair();
  const served = serveAgent(theirs, definition, options);
  const client = new TestClient(ours, options);
  if (options.raw !== true) await client.initialize(options.capabilities ?? {});
  return { client, served };
}

/** The error a call was answered with, as the wire has it. */
export async function refusal(call: Promise<unknown>): Promise<Json> {
  const outcome = await call.then(
    (result) => ({ result }),
    (error: unknown) => ({ error }),
  );
  if (!("error" in outcome)) throw new Error(`it was answered: ${JSON.stringify(outcome)}`);
  const { error } = outcome;
  if (!(error instanceof Error) || !("code" in error)) throw error;
  const data = "data" in error ? error.data : undefined;
  return { code: error.code, message: error.message, ...(data === undefined ? {} : { data }) };
}
