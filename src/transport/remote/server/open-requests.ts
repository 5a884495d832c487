import { CONNECTION_STREAM, type MessageRoute } from "../http/routes.ts";

export interface OpenCall {
  readonly method: string | undefined;
  /** The stream that gets the answer. */
  readonly key: string;
}

/** The requests of both sides that have no answer yet. A connection that has some is not idle. */
export class OpenRequests {
  readonly #limit: number;
  readonly #calls = new Map<unknown, OpenCall>();
  readonly #asked = new Map<unknown, string>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  get isFull(): boolean {
    return this.#calls.size >= this.#limit;
  }

  get isEmpty(): boolean {
    return this.#calls.size === 0 && this.#asked.size === 0;
  }

  received({ kind, id, method }: MessageRoute, key: string): void {
    if (kind === "request") this.#calls.set(id, { method, key });
    else if (kind === "response") this.#asked.delete(id);
  }

  /** Records a message of the agent. Returns the request that it answers. */
  sent({ kind, id, sessionId }: MessageRoute): OpenCall | undefined {
    if (kind === "request") {
      this.#asked.set(id, sessionId ?? CONNECTION_STREAM);
      const [oldest] = this.#asked.keys();
      if (this.#asked.size > this.#limit) this.#asked.delete(oldest);
    }
    if (kind !== "response") return undefined;
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    return call;
  }

  /** The stream that a request of the agent was sent on; undefined if there is no such request. */
  askedOn(id: unknown): string | undefined {
    return this.#asked.get(id);
  }
}
