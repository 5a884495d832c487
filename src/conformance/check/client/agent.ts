import {
  asObject,
  deferred,
  numberField,
  objectField,
  parseJsonObject,
  quiet,
  quietly,
  stringField,
  toError,
  type Deferred,
  type JsonObject,
} from "../../../base/index.ts";
import type { Channel } from "../../../transport/wire/index.ts";
import { Unmet } from "../harness/errors.ts";
import { RawLineSplitter, WROTE_TOO_MUCH, type RawLine } from "../harness/raw-lines.ts";
import type { CallReply } from "../harness/reply.ts";
import type { EvidenceFrame } from "../check-report.ts";
import { sentFaults } from "./sent-faults.ts";
import { parseFromRelay, type FromRelay, type RelayAction } from "./relay/relay-protocol.ts";
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";

/** The client ended the agent, or closed the connection, while a scenario was waiting for it. */
export class ClientGoneError extends Unmet {
  override readonly name = "ClientGoneError";
  /** Completes "the client ...". */
  readonly how: string;

  constructor(how = "closed the connection") {
    super(`the client ${how}`);
    this.how = how;
  }
}

/** The client did not do in time what a scenario was waiting for. */
export class ClientSilentError extends Unmet {
  override readonly name = "ClientSilentError";
  readonly limitMs: number;

  constructor(what: string, limitMs: number) {
    super(`${what} did not come within ${limitMs} ms`);
    this.limitMs = limitMs;
  }
}

/** A line of a connection with a client. `out`: the checking agent wrote it. */
export interface AgentFrame extends EvidenceFrame {
  /** The message; undefined if the line is not a JSON object. */
  readonly json: JsonObject | undefined;
  /** When it was seen, in milliseconds of the machine's clock. */
  readonly at: number;
  /** Whether the bytes were not valid UTF-8. */
  readonly isBroken: boolean;
}

/** A request of the checking agent that the client has to answer. */
export interface AgentQuestion {
  readonly id: RequestId;
  readonly reply: Promise<CallReply>;
  /** The same, but rejects with ClientSilentError or ClientGoneError if there is no response. */
  readonly answer: Promise<CallReply>;
}

/** An id of a request; null is not one. */
type RequestId = number | string;

/** How one request of the checking agent is made. */
export interface QuestionOptions {
  /** Default: a new one. */
  readonly id?: RequestId | undefined;
  /** Set if the params are invalid on purpose. */
  readonly isInvalid?: boolean | undefined;
}

/** A request or notification of the client. */
export interface ClientCall {
  readonly method: string;
  readonly params: JsonObject;
  /** Undefined for a notification. */
  readonly id: RequestId | undefined;
  readonly agent: CheckingAgent;
}

/** The answer to a request; undefined if the scenario answers by itself, or never. */
export type CallOutcome =
  | { readonly result: JsonObject | null; readonly isInvalid?: boolean | undefined }
  | { readonly error: { readonly code: number; readonly message: string } }
  | undefined;

/** How the checking agent behaves on one connection. */
export interface AgentBehaviour {
  readonly protocol: 1 | 2;
  /** Whether it goes on when its stdin has ended. */
  readonly ignoresEnd: boolean;
  /** Runs when the agent's process has started. */
  readonly begin?: ((agent: CheckingAgent) => Promise<void>) | undefined;
  readonly answer: (call: ClientCall) => Promise<CallOutcome>;
}

/** Larger writes are cut, so that no line on the way to the agent's process gets huge. */
const SLICE_BYTES = 256 * 1024;

/** The checking agent on one connection. It follows a scenario, and records every line. */
export class CheckingAgent {
  readonly frames: AgentFrame[] = [];
  /** Signals that the agent's process got, and the end of its stdin, in order. */
  readonly ends: ("end" | (string & {}))[] = [];
  /** The session of this connection. */
  sessionId = "check-session";
  readonly protocol: 1 | 2;
  pid = 0;
  /** The folder that the client started the agent in. */
  folder = "";
  /** Set if the scenario failed by itself. */
  fault: Error | undefined;
  readonly #channel: Channel;
  readonly #behaviour: AgentBehaviour;
  readonly #limitMs: number;
  readonly #gone = deferred<ClientGoneError>();
  /** Resolves when the agent's process has ended, or the checker has let it go, with the reason. */
  readonly gone = this.#gone.promise;
  readonly #answered = deferred();
  /** Resolves when the agent has answered a prompt. */
  readonly promptAnswered = this.#answered.promise;
  readonly #orders = new Map<number, Deferred<readonly number[]>>();
  readonly #open = new Map<RequestId, (response: AgentFrame) => void>();
  readonly #watchers = new Set<(frame: AgentFrame) => void>();
  /** The methods of the client's requests, by their ids. */
  readonly #asked = new Map<unknown, string>();
  /** The methods of the agent's requests, by their ids. */
  readonly #requested = new Map<unknown, string>();
  readonly #lines = new RawLineSplitter(
    (line) => this.#takeLine(line),
    () => {
      this.#gone.resolve(new ClientGoneError(WROTE_TOO_MUCH));
      void this.close();
    },
  );
  #order = 0;
  #id = 0;

  constructor(channel: Channel, behaviour: AgentBehaviour, limitMs: number) {
    this.protocol = behaviour.protocol;
    this.#channel = channel;
    this.#behaviour = behaviour;
    this.#limitMs = limitMs;
    channel.open((line) => this.#receive(line));
    void channel.closed.then(() => this.#close());
  }

  /** The frames that the client wrote. */
  get received(): readonly AgentFrame[] {
    return this.frames.filter(({ direction }) => direction === "in");
  }

  /** The requests and notifications of the client with this method. */
  calls(method: string): readonly AgentFrame[] {
    return this.received.filter(({ json }) => json?.["method"] === method);
  }

  /** The client's answers to a request of the agent, after `after`. */
  answersTo(id: RequestId, after = 0): readonly AgentFrame[] {
    return this.received.filter(
      ({ n, json }) => n > after && json && !("method" in json) && json["id"] === id,
    );
  }

  /** The method of a request of the agent; undefined if none has this id. */
  requested(id: unknown): string | undefined {
    return this.#requested.get(id);
  }

  /** The result of the client's `initialize` params: its capabilities. */
  get capabilities(): JsonObject {
    const params = objectField(this.calls("initialize")[0]?.json ?? {}, "params") ?? {};
    return objectField(params, "clientCapabilities") ?? objectField(params, "capabilities") ?? {};
  }

  /** Makes the agent's process do something. Resolves when it is done. */
  order(action: RelayAction): Promise<readonly number[]> {
    const order = ++this.#order;
    const done = deferred<readonly number[]>();
    this.#orders.set(order, done);
    this.#channel
      .send(JSON.stringify({ order, action }))
      .catch(() => done.reject(new ClientGoneError()));
    return quiet(done.promise);
  }

  /** Writes bytes or text to stdout as they are. Resolves when the client's pipe has taken them. */
  write(data: string | Uint8Array): Promise<unknown> {
    const bytes = Buffer.from(data);
    const written: Promise<unknown>[] = [];
    for (let start = 0; start < bytes.length; start += SLICE_BYTES) {
      const slice = bytes.subarray(start, start + SLICE_BYTES);
      written.push(this.order({ type: "write", bytes: slice.toString("base64") }));
    }
    return quiet(Promise.all(written));
  }

  /** Writes one message. If it is not valid by the schema, that is a fault of the checker. */
  send(message: JsonObject): Promise<unknown> {
    const faults = sentFaults(message, this.#methodOf(message), this.protocol);
    if (faults.length > 0) {
      this.fault ??= new Error(`the checker sent ${JSON.stringify(message)}: ${faults.join("; ")}`);
    }
    return this.sendOdd(message);
  }

  /** Writes a message that is deliberately invalid. */
  sendOdd(message: JsonObject): Promise<unknown> {
    return this.write(this.lineFor(message));
  }

  /** The line of a message, recorded as sent, for a scenario that writes it in an unusual way. */
  lineFor(message: JsonObject): string {
    const line = JSON.stringify({ jsonrpc: "2.0", ...message });
    this.#record("out", line, message, false);
    const method = stringField(message, "method");
    if (method !== undefined) this.#requested.set(message["id"], method);
    else if (this.#methodOf(message) === "session/prompt") this.#answered.resolve();
    return `${line}\n`;
  }

  /** The line of an update, as {@link lineFor}. */
  updateLine(update: JsonObject): string {
    const { sessionId } = this;
    return this.lineFor({ method: "session/update", params: { sessionId, update } });
  }

  notify(method: string, params: JsonObject): Promise<unknown> {
    return this.send({ method, params });
  }

  /** Sends an update of the session. */
  update(update: JsonObject, sessionId = this.sessionId): Promise<unknown> {
    return this.notify("session/update", { sessionId, update });
  }

  /** Sends an update that no schema has. */
  oddUpdate(update: JsonObject, sessionId = this.sessionId): Promise<unknown> {
    return this.sendOdd({ method: "session/update", params: { sessionId, update } });
  }

  /** Sends a piece of the answer's text. */
  say(text: string, more: JsonObject = {}): Promise<unknown> {
    return this.update(textChunk(text, more));
  }

  /** Sends a request, and gives its id before it is answered. */
  begin(
    method: string,
    params: JsonObject,
    { id = `agent-${++this.#id}`, isInvalid = false }: QuestionOptions = {},
  ): AgentQuestion {
    const { promise, resolve } = deferred<AgentFrame>();
    this.#open.set(id, resolve);
    const started = performance.now();
    void (isInvalid ? this.sendOdd({ id, method, params }) : this.send({ id, method, params }));
    const frames = this.frames.slice(-1);
    const answer = quietly(async () => {
      const response = await this.#inTime(promise, `an answer to ${method}`, this.#limitMs);
      return replyOf(response, [...frames, response], performance.now() - started);
    });
    const unanswered = (error: unknown): CallReply => {
      if (error instanceof ClientGoneError) return { kind: "ended", how: error.how, frames };
      if (!(error instanceof ClientSilentError)) throw error;
      return { kind: "silent", ms: error.limitMs, frames };
    };
    return { id, answer, reply: quiet(answer.catch(unanswered)) };
  }

  /** Sends a request and waits for its response, the end of the connection, or the limit. */
  call(method: string, params: JsonObject, options?: QuestionOptions): Promise<CallReply> {
    return this.begin(method, params, options).reply;
  }

  /** Sends a request. Rejects with ClientSilentError or ClientGoneError if there is no response. */
  ask(method: string, params: JsonObject): Promise<CallReply> {
    return this.begin(method, params).answer;
  }

  /** Resolves when the client has handled everything that was sent before. */
  barrier(): Promise<unknown> {
    return this.ask("_dragoman/barrier", {});
  }

  /** Resolves with the first frame of the client, from now or before, that fits. */
  until(
    what: string,
    fits: (frame: AgentFrame) => boolean,
    limitMs = this.#limitMs,
  ): Promise<AgentFrame> {
    const seen = deferred<AgentFrame>();
    const look = (frame: AgentFrame): void => {
      if (fits(frame)) seen.resolve(frame);
    };
    this.#watchers.add(look);
    this.received.forEach(look);
    return quietly(async () => {
      try {
        return await this.#inTime(seen.promise, what, limitMs);
      } finally {
        this.#watchers.delete(look);
      }
    });
  }

  /** Ends the connection; the agent's process ends by itself. */
  async close(): Promise<void> {
    await this.#channel.close();
  }

  /** The method that a response of the agent belongs to. */
  #methodOf(message: JsonObject): string | undefined {
    return "method" in message ? undefined : this.#asked.get(message["id"]);
  }

  async #inTime<T>(work: Promise<T>, what: string, limitMs: number): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new ClientSilentError(what, limitMs)), limitMs);
    });
    const gone = this.#gone.promise.then((reason): never => {
      throw reason;
    });
    try {
      return await Promise.race([work, late, gone]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** The client controls all input here, so it is to blame for errors of the checker. */
  #receive(line: string): void {
    try {
      this.#take(parseFromRelay(line));
    } catch (error) {
      this.fault ??= toError(error);
    }
  }

  #take(message: FromRelay | undefined): void {
    switch (message?.type) {
      case "hello":
        this.pid = message.pid;
        this.folder = message.cwd;
        this.#watch(this.#behaviour.begin?.(this));
        break;
      case "input":
        this.#lines.push(Buffer.from(message.bytes, "base64"));
        break;
      case "end":
        this.ends.push("end");
        if (!this.#behaviour.ignoresEnd) this.order({ type: "exit", code: 0 }).catch(() => {});
        break;
      case "signal":
        this.ends.push(message.signal);
        break;
      case "done":
        this.#orders.get(message.order)?.resolve(message.pids ?? []);
        this.#orders.delete(message.order);
        break;
      case undefined:
    }
  }

  #takeLine({ text, isNotUtf8 }: RawLine): void {
    const json = parseJsonObject(text);
    const frame = this.#record("in", text, json, isNotUtf8);
    if (json) this.#takeMessage(json, frame);
    for (const look of this.#watchers) look(frame);
  }

  #takeMessage(message: JsonObject, frame: AgentFrame): void {
    const id = stringField(message, "id") ?? numberField(message, "id");
    const method = stringField(message, "method");
    if (method === undefined) {
      if (id === undefined) return;
      this.#open.get(id)?.(frame);
      this.#open.delete(id);
      return;
    }
    if (id !== undefined) this.#asked.set(id, method);
    this.#watch(this.#answer(method, objectField(message, "params") ?? {}, id));
  }

  /** Records a failure of the scenario, unless the client caused it. */
  #watch(work: Promise<void> | undefined): void {
    work?.catch((error: unknown) => {
      if (error instanceof ClientGoneError || error instanceof ClientSilentError) return;
      this.fault ??= toError(error);
    });
  }

  async #answer(method: string, params: JsonObject, id: RequestId | undefined): Promise<void> {
    const outcome = await this.#behaviour.answer({ method, params, id, agent: this });
    if (id === undefined || outcome === undefined) return;
    if ("result" in outcome && outcome.isInvalid === true)
      await this.sendOdd({ id, result: outcome.result });
    else await this.send({ id, ...outcome });
  }

  #record(
    direction: "in" | "out",
    line: string,
    json: JsonObject | undefined,
    isBroken: boolean,
  ): AgentFrame {
    const n = this.frames.length + 1;
    const frame: AgentFrame = { n, direction, line, json, isBroken, at: Date.now() };
    this.frames.push(frame);
    return frame;
  }

  #close(): void {
    this.#gone.resolve(new ClientGoneError());
    for (const order of this.#orders.values()) order.reject(new ClientGoneError());
    this.#orders.clear();
    this.#open.clear();
  }
}

/** The update that carries a piece of the answer's text. */
export function textChunk(text: string, more: JsonObject = {}): JsonObject {
  return { sessionUpdate: "agent_message_chunk", content: { type: "text", text }, ...more };
}

function replyOf(
  { json = {}, n }: AgentFrame,
  frames: readonly AgentFrame[],
  ms: number,
): CallReply {
  const answered = { n, ms, frames };
  if (!("error" in json)) return { kind: "result", result: json["result"], ...answered };
  const error = asObject(json["error"]);
  const code = numberField(error, "code") ?? Number.NaN;
  const message = stringField(error, "message") ?? "";
  return { kind: "error", code, message, error: json["error"], ...answered };
}

/** The workspace of a session, as the client named it. */
export function workspaceOf(agent: CheckingAgent): string {
  const [opened] = [...agent.calls("session/new"), ...agent.calls("session/load")];
  return stringField(paramsOf(opened), "cwd") ?? agent.folder;
}

/** A new folder in the one that the agent works in: a script may run more than once there. */
export function scratchFolder(agent: CheckingAgent): Promise<string> {
  return mkdtemp(join(agent.folder, "check-"));
}

/** The params of a frame; empty if there are none. */
export function paramsOf(frame: AgentFrame | undefined): JsonObject {
  return objectField(frame?.json ?? {}, "params") ?? {};
}
