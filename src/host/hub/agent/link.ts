import type { RpcError } from "../../../transport/rpc/index.ts";
import type { JsonObject } from "../../../base/index.ts";
import type { Channel, CloseReason } from "../../../transport/wire/index.ts";
import type { AgentEndCause } from "../events.ts";
import {
  type DeniedRequest,
  readRelayedMessage,
  type RelayedMessage,
} from "../json/relayed-message.ts";
import { errorLine, requestLine, resultInLine } from "../json/rpc-lines.ts";
import type { HubLimits } from "../options.ts";
import { Outlet, processIdOf } from "../outlet.ts";
import { type Span, spliceText } from "../json/json-text.ts";

export type AgentRequestMessage = Extract<RelayedMessage, { kind: "request" }>;
export type AgentNotification = Extract<RelayedMessage, { kind: "notification" }>;

/** The end of a request to the agent. */
export type AgentAnswer =
  /** The agent answered with this line; `id` is where its id stands. */
  | { readonly kind: "answered"; readonly line: string; readonly id: Span }
  /** The agent ended first. */
  | { readonly kind: "ended"; readonly reason: CloseReason; readonly cause: AgentEndCause };

export interface AgentHandlers {
  request(message: AgentRequestMessage): void;
  notification(message: AgentNotification): void;
  ambiguous(request: DeniedRequest): void;
  ended(reason: CloseReason, cause: AgentEndCause): void;
}

interface OpenRequest {
  readonly answer: (answer: AgentAnswer) => void;
  readonly timer: ReturnType<typeof setTimeout> | undefined;
}

/** The requests that an agent answers without a model or a person. Others may take any time. */
const LIMITED: ReadonlySet<string> = new Set([
  "initialize",
  "session/new",
  "session/load",
  "session/resume",
  "session/fork",
  "session/list",
  "session/close",
  "session/delete",
  "session/set_mode",
  "session/set_model",
  "session/set_config_option",
]);

/** The connection to one process of an agent, from its start to its end. */
export class AgentLink {
  readonly closed: Promise<CloseReason>;
  readonly #channel: Channel;
  readonly outlet: Outlet;
  readonly #handlers: AgentHandlers;
  readonly #limits: HubLimits;
  readonly #open = new Map<number, OpenRequest>();
  #lastId = 0;
  #invalid = 0;
  #pauses = 0;
  #isEnded = false;
  #cause: AgentEndCause = "died";

  constructor(channel: Channel, handlers: AgentHandlers, limits: HubLimits) {
    this.#channel = channel;
    this.outlet = new Outlet(channel, limits.maxUnsentBytes);
    this.#handlers = handlers;
    this.#limits = limits;
    this.closed = channel.closed;
    void channel.closed.then((reason) => this.#ended(reason));
    channel.open((line) => this.#receive(line));
  }

  /** The id of the process; undefined if the agent is not a process of this machine. */
  get pid(): number | undefined {
    return processIdOf(this.#channel);
  }

  /** Sends a line that is not a request. */
  send(line: string): void {
    this.outlet.send(line);
  }

  /** Passes a request on under an id of this connection, which is returned. */
  forward(line: string, id: Span, method: string, answer: (answer: AgentAnswer) => void): number {
    const own = ++this.#lastId;
    this.#expect(own, method, answer);
    this.outlet.send(spliceText(line, id, String(own)));
    return own;
  }

  /** Calls a method for the hub itself. Rejects with RpcError. */
  call(method: string, params: unknown): Promise<JsonObject> {
    const id = ++this.#lastId;
    const answered = this.#answerTo(id, method);
    this.outlet.send(requestLine(id, method, params));
    return answered.then(resultInLine);
  }

  /** Sends a request that a client wrote, for the hub itself. Resolves with the line of the answer. */
  callWith(line: string, span: Span, method: string): Promise<string> {
    const id = ++this.#lastId;
    const answered = this.#answerTo(id, method);
    this.outlet.send(spliceText(line, span, String(id)));
    return answered;
  }

  /** Stops reading until the returned function is called. */
  pause(): () => void {
    let isPaused = true;
    if (++this.#pauses === 1) this.#channel.pause();
    return () => {
      if (!isPaused) return;
      isPaused = false;
      if (--this.#pauses === 0) this.#channel.resume();
    };
  }

  end(cause: AgentEndCause): Promise<CloseReason> {
    if (!this.#isEnded && this.#cause === "died") this.#cause = cause;
    return this.#channel.close();
  }

  #answerTo(id: number, method: string): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#expect(id, method, (answer) => {
        if (answer.kind === "answered") resolve(answer.line);
        else reject(new AgentEndedError(answer));
      });
    });
  }

  #expect(id: number, method: string, answer: (answer: AgentAnswer) => void): void {
    const { requestMs } = this.#limits;
    const timer =
      LIMITED.has(method) && Number.isFinite(requestMs)
        ? setTimeout(() => void this.end("unresponsive"), requestMs)
        : undefined;
    this.#open.set(id, { answer, timer });
  }

  #receive(line: string): void {
    const message = readRelayedMessage(line);
    if (message.kind !== "invalid") this.#invalid = 0;
    switch (message.kind) {
      case "notification":
        return this.#handlers.notification(message);
      case "request":
        return this.#handlers.request(message);
      case "response":
        return this.#answered(message.line, message.id);
      case "invalid":
        if (message.ambiguous) this.#handlers.ambiguous(message.ambiguous);
        // Programs print other text too. One that prints nothing else is not an agent.
        if (++this.#invalid > this.#limits.maxInvalidLines) void this.end("flooded");
    }
  }

  #answered(line: string, id: Span): void {
    // Some agents answer request 1 with the id "1".
    const own = Number(line.slice(id.start, id.end).replaceAll('"', ""));
    const request = this.#open.get(own);
    if (!request) return;
    this.#open.delete(own);
    clearTimeout(request.timer);
    request.answer({ kind: "answered", line, id });
  }

  #ended(reason: CloseReason): void {
    this.#isEnded = true;
    const open = [...this.#open.values()];
    this.#open.clear();
    for (const { answer, timer } of open) {
      clearTimeout(timer);
      answer({ kind: "ended", reason, cause: this.#cause });
    }
    this.#handlers.ended(reason, this.#cause);
  }
}

/** An agent ended before it answered a request of the hub. */
export class AgentEndedError extends Error {
  override readonly name = "AgentEndedError";
  readonly end: Extract<AgentAnswer, { kind: "ended" }>;

  constructor(end: Extract<AgentAnswer, { kind: "ended" }>) {
    super("the agent ended");
    this.end = end;
  }
}

export function replyError(
  { line, id }: Pick<AgentRequestMessage, "line" | "id">,
  connection: AgentLink,
  error: RpcError,
): void {
  connection.send(errorLine(line.slice(id.start, id.end), error));
}
