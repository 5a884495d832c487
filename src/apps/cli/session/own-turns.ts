import { deferred, unlessAborted } from "../../../base/index.ts";
import type { SessionEvent } from "../../../client/index.ts";

type TurnEvent = Extract<SessionEvent, { readonly type: "turn_started" | "turn_ended" }>;

/** The turns of this client in a session, among everything that happens there. */
export class OwnTurns {
  /** Whether one is running. */
  isRunning = false;
  #ended = 0;
  #shown = 0;
  #changed = deferred();

  /** Takes the start or the end of a turn. Returns false for every other event. */
  take(event: SessionEvent): event is TurnEvent {
    if (event.type !== "turn_started" && event.type !== "turn_ended") return false;
    this.isRunning = event.type === "turn_started";
    if (!this.isRunning) this.#ended++;
    return true;
  }

  /** Notes that everything of a turn is on the screen. */
  shown(): void {
    this.#shown++;
    this.changed();
  }

  /** Resolves when everything of the turns that have ended is on the screen. */
  async caughtUp(): Promise<void> {
    while (this.#shown < this.#ended) await this.#changed.promise;
  }

  /** Resolves when a condition holds after a change, or the signal is aborted. */
  async until(isTrue: () => boolean, signal: AbortSignal): Promise<void> {
    while (!isTrue() && !signal.aborted)
      await unlessAborted(this.#changed.promise, signal).catch(() => {});
  }

  /** Notes that a condition may hold now. */
  changed(): void {
    this.#changed.resolve();
    this.#changed = deferred();
  }
}
