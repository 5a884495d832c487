import { ConnectionJudge, paramsFaults, resultFaults, unknownMembers } from "../../index.ts";
import {
  wireIdKey,
  paramsOf,
  SessionModel,
  type TracedFrame,
  updateOf,
} from "../../../trace/index.ts";
import {
  asObject,
  deferred,
  isJsonObject,
  type JsonObject,
  quietly,
  stringField,
  toError,
  within,
} from "../../../base/index.ts";
import type { EvidenceFrame } from "../check-report.ts";
import { CheckerFault } from "./errors.ts";
import {
  type ClientAnswer,
  type SubjectRequest,
  refuse,
  type RequestAnswerer,
} from "./client-answers.ts";
import type { Pace } from "./pace.ts";
import type { RawLine } from "./raw-lines.ts";
import type { CallReply } from "./reply.ts";
import type { Transport, TransportEnd } from "./transport.ts";

/** A frame of either direction, read, with its position, counted from 1. */
export type LinkFrame = TracedFrame & { readonly n: number };

export interface LinkOptions {
  readonly pace: Pace;
  readonly protocol: 1 | 2;
  /** Values that the subject was given and must not show. */
  readonly secrets: readonly string[];
}

export interface LinkRequestOptions {
  /** Default: the pace's limit for an answer. */
  readonly limitMs?: number | undefined;
  /** Default: the next number. */
  readonly id?: string | number | undefined;
  /** Set if the params are invalid on purpose. */
  readonly isInvalid?: boolean | undefined;
}

export interface BegunRequest {
  readonly id: string | number;
  /** The position of its frame. */
  readonly n: number;
  readonly frame: LinkFrame;
  readonly reply: Promise<CallReply>;
}

/** Lines that were sent as they are. */
export interface SentLines {
  /** The position before them. */
  readonly after: number;
  readonly frames: readonly LinkFrame[];
}

export interface UpdateFrame extends EvidenceFrame {
  readonly update: JsonObject;
}

interface Waiter {
  readonly matches: (frame: LinkFrame) => boolean;
  readonly found: (frame: LinkFrame | undefined) => void;
}

/**
 * A connection to a subject agent, line by line. It can send anything and sees everything. Frames that
 * it sends are validated, unless they are invalid on purpose.
 */
export class SubjectLink {
  /** Every frame of both directions, in order. */
  readonly frames: LinkFrame[] = [];
  /** Judges every requirement that the frames alone can show. */
  readonly judge: ConnectionJudge;
  /** The requests that the agent has made, answered or not. */
  readonly requests: SubjectRequest[] = [];
  /** Errors of the checker's own answers. */
  readonly faults: Error[] = [];
  readonly transport: Transport;
  readonly pace: Pace;
  readonly #protocol: 1 | 2;
  readonly #model = new SessionModel();
  readonly #waiters = new Set<Waiter>();
  readonly #handlers = new Map<string, RequestAnswerer>();

  #nextId = 1;
  #end: TransportEnd | undefined;
  #hasBarrier = true;

  constructor(transport: Transport, { pace, protocol, secrets }: LinkOptions) {
    this.transport = transport;
    this.pace = pace;
    this.#protocol = protocol;
    this.judge = new ConnectionJudge({ protocol, model: this.#model, secrets });
    transport.open((line) => this.#receive(line));
    void transport.ended.then((end) => {
      this.#end = end;
      for (const { found } of this.#waiters) found(undefined);
    });
  }

  /** How the connection ended; undefined while it lasts. */
  get end(): TransportEnd | undefined {
    return this.#end;
  }

  /** Lets a handler answer a method. `*`: every method without its own handler. */
  handle(method: string, handler: RequestAnswerer): void {
    this.#handlers.set(method, handler);
  }

  /** Sends a request and waits for its response, the end of the connection, or the limit. */
  async request(
    method: string,
    params: unknown,
    options: LinkRequestOptions = {},
  ): Promise<CallReply> {
    const { reply } = this.begin(method, params, options);
    return reply;
  }

  /** Sends a request, and gives its id before it is answered. */
  begin(
    method: string,
    params: unknown,
    { limitMs, id = this.#nextId++, isInvalid = false }: LinkRequestOptions = {},
  ): BegunRequest {
    const started = performance.now();
    const message = { jsonrpc: "2.0", id, method, ...(params === undefined ? {} : { params }) };
    const frame = this.#sent(message, isInvalid);
    const { n } = frame;
    const reply = quietly(() => this.reply(id, { after: n, limitMs, started }));
    return { id, n, frame, reply };
  }

  /** Waits for the response to an id, in frames after `after`. */
  async reply(
    id: unknown,
    {
      after = 0,
      limitMs = this.pace.answerMs,
      started = performance.now(),
    }: {
      readonly after?: number | undefined;
      readonly limitMs?: number | undefined;
      readonly started?: number | undefined;
    } = {},
  ): Promise<CallReply> {
    const key = wireIdKey(id);
    const frame = await this.until(
      ({ direction, message }) =>
        direction === "in" &&
        (message.kind === "result" || message.kind === "error") &&
        wireIdKey(message.id) === key,
      { after, limitMs },
    );
    const ms = performance.now() - started;
    const request = this.frames.findLast(
      ({ n, direction, message }) =>
        direction === "out" &&
        message.kind === "request" &&
        wireIdKey(message.id) === key &&
        n < (frame?.n ?? Infinity),
    );
    const frames = [request, frame].filter((one) => one !== undefined);
    if (frame) return toReply(frame, frames, ms);
    return this.#end
      ? { kind: "ended", how: this.#end.how, error: this.#end.error, frames }
      : { kind: "silent", ms, frames };
  }

  notify(method: string, params: unknown, isInvalid = false): LinkFrame {
    const frame = { jsonrpc: "2.0", method, ...(params === undefined ? {} : { params }) };
    return this.#sent(frame, isInvalid);
  }

  /**
   * Sends bytes that are not a valid message, or not in one piece, on purpose. Adds no newline.
   * `shown`: the lines for the transcript. Default: the bytes as text; pass "" for a part of a line.
   */
  async sendRaw(bytes: string | Uint8Array, shown?: string): Promise<SentLines> {
    const text = shown ?? (typeof bytes === "string" ? bytes : `(${bytes.length} bytes)`);
    const after = this.frames.length;
    const lines = text.split("\n").filter((line) => line !== "");
    const frames = lines.map((line) => this.#add("out", line, false));
    await this.transport.write(bytes);
    return { after, frames };
  }

  /**
   * The first frame after `after` that matches: one that is already there, or the next that comes.
   * Undefined if the limit passes or the connection ends first.
   */
  async until(
    matches: (frame: LinkFrame) => boolean,
    {
      after = 0,
      limitMs = this.pace.answerMs,
    }: { readonly after?: number | undefined; readonly limitMs?: number | undefined } = {},
  ): Promise<LinkFrame | undefined> {
    const known = this.frames.find((frame) => frame.n > after && matches(frame));
    if (known || this.#end) return known;
    const { promise, resolve } = deferred<LinkFrame | undefined>();
    const waiter: Waiter = { matches, found: resolve };
    this.#waiters.add(waiter);
    await within(promise, limitMs);
    this.#waiters.delete(waiter);
    resolve(undefined);
    return promise;
  }

  async untilRequest(
    method: string,
    options: { readonly after?: number | undefined; readonly limitMs?: number | undefined } = {},
  ): Promise<SubjectRequest | undefined> {
    const frame = await this.until(
      ({ direction, message }) =>
        direction === "in" && message.kind === "request" && message.method === method,
      options,
    );
    return frame && this.requests.find(({ n }) => n === frame.n);
  }

  /**
   * Waits until everything the agent had queued has arrived: it answers a harmless request, and then
   * stays silent for a short time. Returns false if the agent is gone or answers nothing anymore.
   */
  async barrier(): Promise<boolean> {
    if (this.#hasBarrier) {
      const reply = await this.request("_dragoman/barrier", {});
      if (reply.kind === "ended") return false;
      this.#hasBarrier = reply.kind !== "silent";
      if (reply.kind !== "silent") this.pace.roundTrip(reply.ms);
    }
    await this.quiet();
    return this.#end === undefined && this.#hasBarrier;
  }

  /** Waits until the agent has been silent for the pace's quiet time. */
  async quiet(): Promise<void> {
    const { answerMs } = this.pace;
    const deadline = performance.now() + answerMs;
    while (performance.now() < deadline) {
      const after = this.frames.length;
      const more = await this.until(({ direction }) => direction === "in", {
        after,
        limitMs: this.pace.quietMs,
      });
      if (!more) return;
    }
  }

  received(after = 0): readonly LinkFrame[] {
    return this.frames.filter(({ n, direction }) => n > after && direction === "in");
  }

  /** Updates of a session after `after`, with their frames: all, or those of one kind. */
  updates(sessionId: string, after = 0, kind?: string): readonly UpdateFrame[] {
    return this.received(after).flatMap(({ n, line, direction, message }) => {
      if (message.kind !== "notification" || message.method !== "session/update") return [];
      const update = updateOf(message);
      if (!update || paramsOf(message)["sessionId"] !== sessionId) return [];
      const isWanted = kind === undefined || update["sessionUpdate"] === kind;
      return isWanted ? [{ n, line, direction, update }] : [];
    });
  }

  /** The texts of the chunks of one kind after `after`, joined. */
  textOf(sessionId: string, kind: string, after = 0): string {
    return this.updates(sessionId, after, kind)
      .map(({ update }) => stringField(asObject(update["content"]), "text") ?? "")
      .join("");
  }

  #sent(frame: JsonObject, isInvalid: boolean): LinkFrame {
    if (!isInvalid) this.#assertValid(frame);
    const line = JSON.stringify(frame);
    const seen = this.#add("out", line, false);
    void this.transport.write(`${line}\n`);
    return seen;
  }

  #assertValid(frame: JsonObject): void {
    const { method, params, id } = frame;
    const [unknown] = unknownMembers(frame);
    if (unknown !== undefined) throw new CheckerFault(`sends the unknown member ${unknown}`);
    if (typeof method !== "string") return;
    const faults = paramsFaults(method, params, {
      from: "client",
      isRequest: id !== undefined,
      protocol: this.#protocol,
      isUnstable: true,
    });
    const [fault] = faults;
    if (fault) throw new CheckerFault(`sends an invalid ${method}: ${fault.path} ${fault.message}`);
  }

  /** The subject controls all input here, so it is to blame for errors of the checker. */
  #receive({ text, isNotUtf8 }: RawLine): void {
    try {
      const frame = this.#add("in", text, isNotUtf8);
      for (const { matches, found } of this.#waiters) if (matches(frame)) found(frame);
      if (frame.message.kind === "request") this.#dispatch(frame, frame.message);
    } catch (error) {
      this.faults.push(toError(error));
    }
  }

  #add(direction: "in" | "out", line: string, isNotUtf8: boolean): LinkFrame {
    const traced = this.#model.append({ ms: performance.now(), direction, line, isNotUtf8 });
    if (!traced) throw new CheckerFault("takes a line for an event");
    const frame: LinkFrame = { ...traced, n: traced.row + 1 };
    this.frames.push(frame);
    this.judge.saw(traced);
    return frame;
  }

  #dispatch(
    frame: LinkFrame,
    message: { readonly id: unknown; readonly method: string; readonly params: unknown },
  ): void {
    const { id, method } = message;
    const params = isJsonObject(message.params) ? message.params : {};
    let isAnswered = false;
    const request: SubjectRequest = {
      id,
      method,
      params,
      n: frame.n,
      frame,
      answer: async (answer) => {
        if (isAnswered) throw new CheckerFault(`answers ${method} twice`);
        isAnswered = true;
        await this.#answer(id, method, answer);
      },
    };
    this.requests.push(request);
    const handler = this.#handlers.get(method) ?? this.#handlers.get("*") ?? refuse;
    const respond = async (): Promise<void> => {
      const answer = await handler(request);
      if (answer !== "hold" && !isAnswered) await request.answer(answer);
    };
    respond().catch((error: unknown) => void this.faults.push(toError(error)));
  }

  async #answer(id: unknown, method: string, answer: Exclude<ClientAnswer, "hold">): Promise<void> {
    if ("result" in answer) {
      const [fault] = resultFaults(method, answer.result, this.#protocol, true);
      if (fault)
        throw new CheckerFault(`answers ${method} wrongly: ${fault.path} ${fault.message}`);
    }
    await this.answerRaw({ id, ...answer });
  }

  /** Sends a response that is not validated. */
  async answerRaw(response: JsonObject): Promise<void> {
    const line = JSON.stringify({ jsonrpc: "2.0", ...response });
    this.#add("out", line, false);
    await this.transport.write(`${line}\n`);
  }
}

function toReply({ message, n }: LinkFrame, frames: readonly LinkFrame[], ms: number): CallReply {
  if (message.kind === "result") return { kind: "result", result: message.result, n, frames, ms };
  if (message.kind !== "error") throw new CheckerFault("takes a frame for a response");
  const error = asObject(message.error) ?? {};
  const code = typeof error["code"] === "number" ? error["code"] : Number.NaN;
  const text = typeof error["message"] === "string" ? error["message"] : "";
  return { kind: "error", code, message: text, error: message.error, n, frames, ms };
}

export function answersOf(
  link: SubjectLink,
  { id, n: after }: { readonly id: unknown; readonly n: number },
): readonly LinkFrame[] {
  return link
    .received(after)
    .filter(
      ({ message }) => (message.kind === "result" || message.kind === "error") && message.id === id,
    );
}
