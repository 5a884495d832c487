/** A test client on our own Peer. It validates every frame of the agent against the schema. */
import { afterEach, expect } from "vitest";
import {
  memoryPair,
  serveAgent,
  type AgentDefinition,
  type ServeOptions,
  type Turn,
} from "../../src/entries/agent.ts";
import { Peer, type RequestContext, rpcCodeOf } from "../../src/transport/rpc/index.ts";
import { tapped, type Channel, type CloseReason } from "../../src/entries/wire.ts";
import { FrameChecker, type SchemaVersion } from "../support/schema.ts";
import { type Prompt, promptAgent } from "./definitions.ts";

export type Json = Record<string, unknown>;

export function isJson(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export type Answer = (params: Json, context: RequestContext) => unknown;

export interface TestClientOptions {
  readonly capabilities?: Json;
  /** The answers to the agent's requests, by method. */
  readonly answers?: Readonly<Record<string, Answer>>;
  readonly version?: SchemaVersion;
  /** Whether to skip `initialize`. */
  readonly raw?: boolean;
  readonly onUpdate?: (update: Json, sessionId: string) => void;
}

/** Every capability a client can advertise. */
export const EVERYTHING: Json = {
  fs: { readTextFile: true, writeTextFile: true },
  terminal: true,
  auth: { terminal: true },
  elicitation: { form: {}, url: {} },
  session: { configOptions: { boolean: {} }, notices: {}, compaction: {} },
};

export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Params to open a session. */
export const workspace = { cwd: process.cwd(), mcpServers: [] };

const checkers: FrameChecker[] = [];

afterEach(() => {
  const faults = checkers.splice(0).flatMap((checker) => checker.faults);
  expect(faults, "schema faults in the agent's frames").toEqual([]);
});

/** A client's channel that validates incoming frames. */
function schemaChecked(channel: Channel, version?: SchemaVersion): Channel {
  const checker = new FrameChecker("agent", version);
  checkers.push(checker);
  return tapped(channel, ({ direction, line }) => {
    checker.saw(direction === "in" ? "agent" : "client", line);
  });
}

export class TestClient {
  readonly peer: Peer;
  /** Everything the agent sent, in order: `update <kind>` or the method. */
  readonly log: string[] = [];
  readonly updates: Json[] = [];
  readonly closed: Promise<CloseReason>;
  readonly channel: Channel;
  readonly #waiters: { readonly entry: string; readonly done: () => void }[] = [];

  constructor(channel: Channel, options: TestClientOptions = {}) {
    this.channel = channel;
    const { answers = {}, onUpdate } = options;
    this.peer = new Peer(schemaChecked(channel, options.version), {
      handlers: {
        request: (method, params, context) => {
          this.#record(method);
          const answer = answers[method];
          if (!answer) throw new Error(`the test client has no answer to ${method}`);
          return answer(isJson(params) ? params : {}, context);
        },
        notification: (method, params) => {
          const given = isJson(params) ? params : {};
          const { update, sessionId } = given;
          if (method === "session/update" && isJson(update)) {
            this.updates.push(update);
            onUpdate?.(update, String(sessionId));
            this.#record(`update ${String(update["sessionUpdate"])}`);
          } else {
            this.#record(method);
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

  /** Sends a prompt and returns the stop reason. */
  async prompt(sessionId: string, text: string): Promise<unknown> {
    const prompt = [{ type: "text", text }];
    return (await this.call("session/prompt", { sessionId, prompt }))["stopReason"];
  }

  /** Sends a prompt, cancels it once the agent has sent `entry`, and returns the stop reason. */
  async promptAndCancel(sessionId: string, entry = "update agent_message_chunk"): Promise<unknown> {
    const prompt = this.prompt(sessionId, "x");
    await this.waitFor(entry);
    await this.cancel(sessionId);
    return prompt;
  }

  cancel(sessionId: string): Promise<void> {
    return this.peer.notify("session/cancel", { sessionId });
  }

  /** Resolves once the log contains an entry. */
  waitFor(entry: string): Promise<void> {
    if (this.log.includes(entry)) return Promise.resolve();
    return new Promise((done) => this.#waiters.push({ entry, done }));
  }

  /** The agent's text, joined. */
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

  #record(entry: string): void {
    this.log.push(entry);
    for (const waiter of this.#waiters.splice(0)) {
      if (waiter.entry === entry) waiter.done();
      else this.#waiters.push(waiter);
    }
  }
}

export interface Served {
  readonly client: TestClient;
  /** Resolves when the agent has finished serving. */
  readonly served: Promise<CloseReason>;
}

/** Closes the connection, and waits until the agent has saved its sessions. */
export async function leave({ client, served }: Served): Promise<void> {
  await client.peer.close();
  await served;
}

/** Serves a definition, or an agent that only answers prompts, to a test client in this process. */
export async function serve<S>(
  agent: AgentDefinition<S> | Prompt,
  options: TestClientOptions & ServeOptions = {},
): Promise<Served> {
  const [ours, theirs] = memoryPair();
  const served =
    typeof agent === "function"
      ? serveAgent(theirs, promptAgent(agent), options)
      : serveAgent(theirs, agent, options);
  const client = new TestClient(ours, options);
  if (options.raw !== true) await client.initialize(options.capabilities ?? {});
  return { client, served };
}

/** Serves like `serve`, and opens a session. */
export async function opened<S>(
  agent: AgentDefinition<S> | Prompt,
  options: TestClientOptions & ServeOptions = {},
) {
  const served = await serve(agent, options);
  return { ...served, sessionId: await served.client.newSession() };
}

/** Runs one turn with a client that advertises everything, and returns the result of `work`. */
export async function inTurn<T>(
  work: (turn: Turn<object>) => Promise<T>,
  answers: Record<string, Answer> = {},
  capabilities: Json = EVERYTHING,
) {
  let returned: { value: T } | undefined;
  const served = await opened(
    async (turn) => {
      returned = { value: await work(turn) };
    },
    { capabilities, answers },
  );
  await served.client.prompt(served.sessionId, "x");
  if (!returned) throw new Error("the turn returned nothing");
  return { ...served, value: returned.value };
}

/** The error that a call was answered with, in the form of the wire. */
export async function errorOf(call: Promise<unknown>): Promise<Json> {
  const outcome = await call.then(
    (result) => ({ result }),
    (error: unknown) => ({ error }),
  );
  if (!("error" in outcome)) throw new Error(`the call succeeded: ${JSON.stringify(outcome)}`);
  const { error } = outcome;
  const code = rpcCodeOf(error);
  if (!(error instanceof Error) || code === undefined) throw error;
  const data = "data" in error ? error.data : undefined;
  return { code, message: error.message, ...(data === undefined ? {} : { data }) };
}
