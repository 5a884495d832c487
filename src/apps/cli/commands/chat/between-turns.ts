import type { SessionActivity } from "../../../../protocol/acp/index.ts";
import type { Session, SessionEvent } from "../../../../client/index.ts";
import type { RunningAgent } from "../../connect/running-agent.ts";
import type { Context } from "../../context/context.ts";
import { Activity, markCommandsReported } from "../../session/turn.ts";

/**
 * Shows what an agent of v2 does between the turns of a chat: work that it starts by itself, and news of
 * work in the background.
 */
export class BetweenTurns {
  readonly #context: Context;
  readonly #connected: RunningAgent;
  readonly #session: Session;
  #doing: Activity | undefined;
  #activity: SessionActivity = "idle";
  #isInTurn = false;
  #isCancelled = false;
  /** How many turns have ended, and how many of them the chat has shown to the end. */
  #ended = 0;
  #shown = 0;
  #changed: () => void = () => {};

  constructor(context: Context, connected: RunningAgent, session: Session) {
    this.#context = context;
    this.#connected = connected;
    this.#session = session;
  }

  /** Whether the agent works although no turn is running. */
  get isBusy(): boolean {
    return !this.#isInTurn && this.#activity !== "idle";
  }

  /** Shows every update outside a turn. Resolves when the session has ended; never rejects. */
  async follow(isNew: boolean): Promise<void> {
    try {
      // The first reader also gets earlier updates. Those of a reopened session are its history.
      if (!isNew) await this.#session.updates().return?.();
      for await (const event of this.#session.updates()) await this.#take(event);
    } catch {
      // The chat itself reports why the session ended.
    }
    this.#activity = "idle";
    this.#changed();
  }

  /** Notes that everything of a turn is on the screen. */
  turnShown(): void {
    this.#shown++;
    this.#changed();
  }

  /** Resolves when the agent does nothing by itself, or the signal is aborted. */
  async idle(signal: AbortSignal): Promise<void> {
    while (this.isBusy && !signal.aborted) await this.#change(signal);
  }

  /**
   * Asks the agent to end the work that it does by itself. Returns false if there is none, or if the agent
   * was already asked.
   */
  cancel(): boolean {
    if (!this.isBusy || this.#isCancelled) return false;
    this.#isCancelled = true;
    const { name } = this.#connected.agent;
    this.#context.renderer.note(`asking ${name} to cancel; press Ctrl-C again to end the chat`);
    void this.#session.cancel();
    return true;
  }

  async #take(event: SessionEvent): Promise<void> {
    switch (event.type) {
      case "turn_started":
        this.#isInTurn = true;
        return;
      case "turn_ended":
        this.#isInTurn = false;
        this.#ended++;
        return;
      case "extension":
        return;
      default:
    }
    const wasBusy = this.isBusy;
    if (event.type === "state_update") this.#activity = event.activity;
    if (this.#isInTurn) return;
    // The end of a turn may still be on its way to the screen.
    while (this.#shown < this.#ended) await this.#change();
    if (!wasBusy && this.isBusy) this.#begin();
    if (this.isBusy && !this.#isCancelled) this.#context.screen.status(this.#doing?.take(event));
    await this.#context.renderer.update(event);
    await this.#context.screen.drained();
    if (event.type === "available_commands_update") markCommandsReported(this.#session);
    if (!this.isBusy) this.#rest();
  }

  #begin(): void {
    const { mode, renderer, io } = this.#context;
    const { name } = this.#connected.agent;
    if (mode === "text" && io.stdinKind === "tty")
      renderer.note(`${name} works by itself; Ctrl-C cancels that`);
    this.#doing = new Activity(`${name} works by itself`);
  }

  #rest(): void {
    const { screen } = this.#context;
    this.#isCancelled = false;
    screen.endAnswer();
    screen.finish();
    this.#changed();
  }

  #change(signal?: AbortSignal): Promise<void> {
    const before = this.#changed;
    return new Promise((resolve) => {
      const stop = (): void => {
        signal?.removeEventListener("abort", stop);
        resolve();
      };
      signal?.addEventListener("abort", stop, { once: true });
      this.#changed = () => {
        before();
        this.#changed = () => {};
        stop();
      };
    });
  }
}
