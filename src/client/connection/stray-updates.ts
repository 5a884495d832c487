import type { SessionImpl } from "../session/session-impl.ts";
import type { BufferLimits } from "../turn/update-stream.ts";

interface Stray {
  readonly sessionId: string;
  readonly raw: unknown;
  readonly size: number;
}

/** Updates that arrived before the answer with their session's id. Keeps the newest, within the limits. */
export class StrayUpdates {
  readonly #limits: BufferLimits;
  #kept: Stray[] = [];
  #bytes = 0;

  constructor(limits: BufferLimits) {
    this.#limits = limits;
  }

  keep(sessionId: string, raw: unknown, size: number): void {
    this.#kept.push({ sessionId, raw, size });
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
      if (stray.sessionId === session.id) session.receive(stray.raw, stray.size);
      else this.keep(stray.sessionId, stray.raw, stray.size);
    }
  }

  clear(): void {
    this.#kept = [];
    this.#bytes = 0;
  }
}
