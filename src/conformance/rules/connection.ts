import { isJsonObject, type JsonObject } from "../../base/index.ts";
import type { CheckedSide } from "../requirement.ts";
import { wireIdKey, type TracedFrame } from "../../trace/index.ts";

/** A frame under judgment, with the side that wrote it and its position, counted from 1. */
export interface JudgedFrame extends TracedFrame {
  readonly n: number;
  readonly from: CheckedSide;
}

export interface SeenRequest {
  readonly from: CheckedSide;
  readonly id: unknown;
  readonly method: string;
  readonly params: JsonObject;
  readonly n: number;
  /** The position of its first response; undefined while it is open. */
  answeredBy: number | undefined;
}

/** How many answered requests are remembered, to recognize a second response. */
const MAX_ANSWERED = 10_000;

export class Connection {
  /** The version that both sides have agreed on, or else the one that is expected. */
  version: 1 | 2;
  readonly secrets: readonly string[];
  /** The params of the client's last `initialize`. */
  offer: JsonObject | undefined;
  /** The result of the agent's last `initialize`. */
  initialized: JsonObject | undefined;
  /** Ids of the sessions that this connection opened, or asked to open. */
  readonly sessions = new Set<string>();
  /** The request that the current frame answers; undefined if it is not a response to one. */
  answered: SeenRequest | undefined;
  /** Set if the current frame answers a request that was answered before. */
  answeredBefore: SeenRequest | undefined;
  readonly #open = requestsOfBoth();
  readonly #answered = requestsOfBoth();

  constructor(protocol: 1 | 2, secrets: readonly string[] = []) {
    this.version = protocol;
    this.secrets = secrets;
  }

  get clientCapabilities(): JsonObject {
    const own = this.offer?.[this.version === 1 ? "clientCapabilities" : "capabilities"];
    return isJsonObject(own) ? own : {};
  }

  open(side: CheckedSide): readonly SeenRequest[] {
    return [...this.#open[side].values()];
  }

  saw({ from, message, n }: JudgedFrame): void {
    this.answered = undefined;
    this.answeredBefore = undefined;
    if (message.kind === "request") {
      const { id, method } = message;
      const params = isJsonObject(message.params) ? message.params : {};
      const key = wireIdKey(id);
      this.#answered[from].delete(key);
      this.#open[from].set(key, { from, id, method, params, n, answeredBy: undefined });
      this.#asked(from, method, params);
    }
    if (message.kind === "result" || message.kind === "error") {
      const request = this.#close(from === "agent" ? "client" : "agent", wireIdKey(message.id), n);
      if (request && message.kind === "result") this.#succeeded(request, message.result);
    }
  }

  /** Marks a request as answered. Returns undefined if there is none, or if it was answered before. */
  #close(asker: CheckedSide, key: string, n: number): SeenRequest | undefined {
    const request = this.#open[asker].get(key);
    if (!request) {
      this.answeredBefore = this.#answered[asker].get(key);
      return undefined;
    }
    request.answeredBy = n;
    this.answered = request;
    this.#open[asker].delete(key);
    const answered = this.#answered[asker];
    answered.set(key, request);
    for (const oldest of answered.keys()) {
      if (answered.size <= MAX_ANSWERED) break;
      answered.delete(oldest);
    }
    return request;
  }

  #asked(from: CheckedSide, method: string, params: JsonObject): void {
    if (from !== "client") return;
    if (method === "initialize") this.offer = params;
    const { sessionId } = params;
    // Updates of a session may come before the response that opens it.
    if (typeof sessionId === "string" && /^session\/(?:load|resume)$/.test(method)) {
      this.sessions.add(sessionId);
    }
  }

  #succeeded({ method }: SeenRequest, result: unknown): void {
    if (!isJsonObject(result)) return;
    if (method === "initialize") {
      this.initialized = result;
      const { protocolVersion } = result;
      if (protocolVersion === 1 || protocolVersion === 2) this.version = protocolVersion;
    }
    const { sessionId } = result;
    if (typeof sessionId === "string" && /^session\/(?:new|fork)$/.test(method)) {
      this.sessions.add(sessionId);
    }
  }
}

function requestsOfBoth(): Readonly<Record<CheckedSide, Map<string, SeenRequest>>> {
  return { agent: new Map(), client: new Map() };
}
