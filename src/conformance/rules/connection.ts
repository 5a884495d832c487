import { isJsonObject, type JsonObject } from "../../wire/index.ts";
import type { CheckedSide } from "../requirement.ts";
import { idKey, type ReadFrame } from "./message.ts";

/** What is known about a connection before its first frame. */
export interface ConnectionOptions {
  readonly protocol: 1 | 2;
  /** Values that the agent was given and must not show. */
  readonly secrets?: readonly string[] | undefined;
}

/** A request of one side. */
export interface SeenRequest {
  readonly from: CheckedSide;
  readonly id: unknown;
  readonly method: string;
  readonly params: JsonObject;
  readonly n: number;
  /** The position of its first response; undefined while it is open. */
  answeredBy: number | undefined;
}

/** How many answered requests are remembered, to recognise a second response. */
const MAX_ANSWERED = 10_000;

/** The state of one connection: capabilities, requests of both sides, sessions. */
export class Connection {
  readonly protocol: 1 | 2;
  readonly secrets: readonly string[];
  /** The params of the client's last `initialize`. */
  offer: JsonObject = {};
  /** The result of the agent's last `initialize`. */
  initialized: JsonObject | undefined;
  /** Ids of the sessions that this connection opened, or asked to open. */
  readonly sessions = new Set<string>();
  /** The request that the current frame answers; undefined if it is not a response to one. */
  answered: SeenRequest | undefined;
  /** Set if the current frame answers a request that was answered before. */
  answeredBefore: SeenRequest | undefined;
  readonly #requests = {
    agent: new Map<string, SeenRequest>(),
    client: new Map<string, SeenRequest>(),
  };

  constructor({ protocol, secrets = [] }: ConnectionOptions) {
    this.protocol = protocol;
    this.secrets = secrets;
  }

  /** The capabilities that the client offered. */
  get clientCapabilities(): JsonObject {
    const own = this.offer[this.protocol === 1 ? "clientCapabilities" : "capabilities"];
    return isJsonObject(own) ? own : {};
  }

  /** The open requests of a side. */
  open(side: CheckedSide): readonly SeenRequest[] {
    return [...this.#requests[side].values()].filter(({ answeredBy }) => answeredBy === undefined);
  }

  saw({ from, message, n }: ReadFrame): void {
    this.answered = undefined;
    this.answeredBefore = undefined;
    if (message.kind === "request") {
      const { id, method } = message;
      const params = isJsonObject(message.params) ? message.params : {};
      const requests = this.#requests[from];
      requests.delete(idKey(id));
      requests.set(idKey(id), { from, id, method, params, n, answeredBy: undefined });
      forgetAnswered(requests);
      this.#asked(from, method, params);
    }
    if (message.kind === "result" || message.kind === "error") {
      const request = this.#requests[from === "agent" ? "client" : "agent"].get(idKey(message.id));
      if (!request) return;
      if (request.answeredBy !== undefined) {
        this.answeredBefore = request;
        return;
      }
      request.answeredBy = n;
      this.answered = request;
      if (message.kind === "result") this.#succeeded(request, message.result);
    }
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
    if (method === "initialize") this.initialized = result;
    const { sessionId } = result;
    if (typeof sessionId === "string" && /^session\/(?:new|fork)$/.test(method)) {
      this.sessions.add(sessionId);
    }
  }
}

function forgetAnswered(requests: Map<string, SeenRequest>): void {
  if (requests.size <= MAX_ANSWERED) return;
  for (const [key, { answeredBy }] of requests) {
    if (answeredBy === undefined) continue;
    requests.delete(key);
    return;
  }
}
