import type { Update } from "../../../../protocol/acp/index.ts";
import {
  ATTACH_METHODS,
  type AttachedSession,
  SEQ_META,
  type SessionEvent,
} from "../../../../client/index.ts";
import { deferred } from "../../../../base/index.ts";
import { sanitise } from "../../render/terminal/sanitise.ts";
import type { Context } from "../../context/context.ts";

/** Shows what others do in a session: the past, and everything outside the turns of this client. */
export class Follower {
  readonly #context: Context;
  /** The position of the last update that was shown, in this connection or an earlier one. */
  #shownSeq = 0;
  #isInTurn = false;
  /** How many turns of this client have ended, and how many of them were shown to the end. */
  #ended = 0;
  #shown = 0;
  #changed = deferred();
  /** The lines that a replay still has to print, in order. */
  #replayed: Promise<void> = Promise.resolve();

  constructor(context: Context) {
    this.#context = context;
  }

  /** Takes an update of the past. */
  readonly replay = (update: Update): void => {
    this.#replayed = this.#replayed.then(() => this.#show(update)).catch(() => {});
  };

  /** Resolves when the past is on the screen. Never rejects. */
  async replayShown(): Promise<void> {
    await this.#replayed;
  }

  /** Shows everything until the session ends or its connection is lost. Never rejects. */
  async follow(session: AttachedSession): Promise<void> {
    await this.replayShown();
    this.#rest(session);
    try {
      for await (const event of session.updates()) await this.#take(event, session);
    } catch {
      // The caller learns why the session ended.
    }
    this.#isInTurn = false;
    this.#announce();
  }

  /** Notes that everything of a turn of this client is on the screen. */
  turnShown(): void {
    this.#shown++;
    this.#announce();
  }

  /** Resolves when no other client's turn is running, or the signal is aborted. */
  async idle(session: AttachedSession, signal: AbortSignal): Promise<void> {
    const stop = (): void => this.#announce();
    signal.addEventListener("abort", stop, { once: true });
    while (session.isBusy && session.state === "open" && !signal.aborted)
      await this.#changed.promise;
    signal.removeEventListener("abort", stop);
  }

  async #take(event: SessionEvent, session: AttachedSession): Promise<void> {
    switch (event.type) {
      case "turn_started":
        this.#isInTurn = true;
        return;
      case "turn_ended":
        this.#isInTurn = false;
        this.#ended++;
        return;
      case "extension":
        if (event.method === ATTACH_METHODS.turnEnded) this.#rest(session);
        return;
      default:
    }
    if (this.#isInTurn) {
      this.#pass(event);
      return;
    }
    // The end of an own turn may still be on its way to the screen.
    while (this.#shown < this.#ended) await this.#changed.promise;
    await this.#show(event);
    await this.#context.screen.drained();
    if (!session.isBusy) this.#rest(session);
  }

  async #show(update: Update): Promise<void> {
    if (!this.#pass(update)) return;
    const { mode, renderer, screen, style } = this.#context;
    if (update.type !== "user_message_chunk" || mode === "events" || mode === "jsonl")
      return renderer.update(update);
    screen.endAnswer();
    const { content } = update;
    const text = content.type === "text" ? content.text : `[${content.type}]`;
    screen.story(`${style("cyan", "[prompt]")} ${sanitise(text)}`);
    if (!this.#isInTurn) screen.status("another client waits for the answer");
  }

  /** Counts an update as shown. Returns false if it was shown before. */
  #pass({ notificationMeta }: Update): boolean {
    const seq = notificationMeta?.[SEQ_META];
    if (typeof seq !== "number") return true;
    if (seq <= this.#shownSeq) return false;
    this.#shownSeq = seq;
    return true;
  }

  #rest(session: AttachedSession): void {
    const { screen } = this.#context;
    this.#announce();
    if (session.isBusy || this.#isInTurn) return;
    screen.status(undefined);
    screen.endAnswer();
  }

  #announce(): void {
    this.#changed.resolve();
    this.#changed = deferred();
  }
}
