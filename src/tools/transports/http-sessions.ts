import { randomId } from "../../base/index.ts";

/** More sessions end the oldest: an agent that connects again and again does not close the old ones. */
const MAX_SESSIONS = 32;

/** The open requests of one MCP session, by their ids. */
class HttpSession {
  readonly open = new Map<string | number, AbortController>();

  cancelAll(): void {
    for (const controller of this.open.values()) controller.abort(new Error("the session ended"));
  }
}

/** The MCP sessions of one HTTP server. A request of the stateless revision belongs to none. */
export class HttpSessions {
  readonly #sessions = new Map<string, HttpSession>();

  /** Starts a session and returns its id. */
  start(): string {
    const [oldest] = this.#sessions.keys();
    if (oldest !== undefined && this.#sessions.size >= MAX_SESSIONS) this.end(oldest);
    const id = randomId();
    this.#sessions.set(id, new HttpSession());
    return id;
  }

  /** Whether the session exists. */
  has(id: string): boolean {
    return this.#sessions.has(id);
  }

  /** Ends a session and cancels its requests. */
  end(id: string): void {
    this.#sessions.get(id)?.cancelAll();
    this.#sessions.delete(id);
  }

  /** Lets `cancel` find a request while `work` runs. */
  async track<T>(
    id: string | undefined,
    requestId: string | number,
    controller: AbortController,
    work: () => Promise<T>,
  ): Promise<T> {
    const open = id === undefined ? undefined : this.#sessions.get(id)?.open;
    open?.set(requestId, controller);
    try {
      return await work();
    } finally {
      if (open?.get(requestId) === controller) open.delete(requestId);
    }
  }

  /** Cancels a request of a session. */
  cancel(id: string | undefined, requestId: unknown): void {
    if (id === undefined) return;
    if (typeof requestId !== "string" && typeof requestId !== "number") return;
    this.#sessions.get(id)?.open.get(requestId)?.abort(new RequestCancelled());
  }
}

/** The client cancelled a request and expects no answer to it. */
export class RequestCancelled extends Error {
  override readonly name = "RequestCancelled";

  constructor() {
    super("the agent cancelled the call");
  }
}
