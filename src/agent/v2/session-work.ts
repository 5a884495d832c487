import { ERROR_CODES } from "../../protocol/acp/index.ts";
import { RpcError } from "../../transport/rpc/index.ts";
import type { Link } from "../connection/client.ts";
import { SessionClosedError } from "../errors.ts";
import type { Deliver } from "../session/sender.ts";
import type { BackgroundItem } from "./updates.ts";

interface Background {
  readonly item: BackgroundItem;
  readonly end: () => Promise<void>;
}

/** The background work of a session, and the calls and terminals that the client may cancel alone. */
export class SessionWork {
  readonly #sessionId: string;
  readonly #link: Link;
  readonly #deliver: Deliver;
  readonly #controller = new AbortController();
  /** Aborted when the session closes. */
  readonly signal: AbortSignal = this.#controller.signal;
  readonly #background = new Map<string, Background>();
  readonly #cancels = new Map<string, () => void>();

  constructor(sessionId: string, link: Link, deliver: Deliver) {
    this.#sessionId = sessionId;
    this.#link = link;
    this.#deliver = deliver;
  }

  /** Lists work as background work. The client must know it already. `end` is called when the session closes. */
  addBackground(item: BackgroundItem, end: () => Promise<void>): Promise<void> {
    this.#background.set(keyOf(item), { item, end });
    return this.#reportBackground();
  }

  /** Lets the client cancel this item alone. */
  allowCancel(item: BackgroundItem, cancel: () => void): void {
    this.#cancels.set(keyOf(item), cancel);
  }

  /** Forgets work whose end the client knows already. */
  ended(item: BackgroundItem): void {
    const key = keyOf(item);
    this.#cancels.delete(key);
    if (this.#background.delete(key)) void this.#reportBackground();
  }

  /** Cancels one item. Throws -32602 if it is unknown, over, or cannot be cancelled. */
  cancel(item: BackgroundItem): void {
    const cancel = this.#cancels.get(keyOf(item));
    if (!cancel) {
      const message = "Invalid params: it is unknown, over, or cannot be cancelled";
      throw new RpcError(ERROR_CODES.invalidParams, message, item);
    }
    cancel();
  }

  /** Ends all background work. Resolves when it has ended. Never rejects. */
  async close(): Promise<void> {
    this.#controller.abort(new SessionClosedError(this.#sessionId));
    await Promise.allSettled([...this.#background.values()].map(({ end }) => end()));
  }

  /** v1 has no list of background work. */
  async #reportBackground(): Promise<void> {
    if (this.#link.protocolVersion === 1) return;
    const background = [...this.#background.values()].map(({ item }) => item);
    try {
      await this.#deliver({ sessionUpdate: "state_update", background });
    } catch {
      // The client is gone, or the session is closed.
    }
  }
}

function keyOf(item: BackgroundItem): string {
  return item.type === "terminal" ? `terminal ${item.terminalId}` : `tool_call ${item.toolCallId}`;
}
