import type { Meta } from "../../protocol/acp/index.ts";
import type { SessionImpl } from "../session/session-impl.ts";
import type { BufferLimits } from "../turn/update-stream.ts";

interface Stray {
  readonly sessionId: string;
  readonly raw: unknown;
  readonly size: number;
  readonly meta: Meta | undefined;
}

/** Updates that arrived before the answer with their session's id. Keeps the newest, within the limits. */
export class StrayUpdates {
  readonly #limits: BufferLimits;
  #kept: Stray[] = [];
  #bytes = 0;

  constructor(limits: BufferLimits) {
    this.#limits = limits;
  }

  keep(sessionId: string, raw: unknown, size: number, meta: Meta | undefined): void {
    this.#kept.push({ sessionId, raw, size, meta });
    this.#bytes += size;
    while (this.#kept.length > this.#limits.updates || this.#bytes > this.#limits.bytes) {
      this.#bytes -= this.#kept.shift()?.size ?? 0;
    }
  }

  /** Delivers the session's updates, in order. */
  deliver(session: SessionImpl): void {
    const kept = this.#kept;
    this.clear();
    for (const stray of kept) {
      const { sessionId, raw, size, meta } = stray;
      if (sessionId === session.id) session.receive(raw, size, meta);
      else this.keep(sessionId, raw, size, meta);
    }
  }

  clear(): void {
    this.#kept = [];
    this.#bytes = 0;
  }
}
