import type { ContentBlock, PromptResponse, SessionUpdate } from "../../acp/index.ts";
import { quiet } from "../../wire/index.ts";
import type { Link } from "../connection/client-link.ts";
import type { AgentDefinition } from "../definition.ts";
import { invalidRequest, SessionClosedError } from "../errors.ts";
import { AgentSession, type SessionWorkspace } from "./session.ts";
import { TurnExecution } from "../turn/turn-execution.ts";

/** A session that is open: what authors see of it, and the turn it is in. */
export class OpenSession<S> {
  readonly handle: AgentSession<S>;
  readonly #definition: AgentDefinition<S>;
  readonly #link: Link;
  #run: TurnExecution<S> | undefined;
  #closed = false;

  constructor(
    id: string,
    state: S,
    place: SessionWorkspace,
    link: Link,
    definition: AgentDefinition<S>,
  ) {
    this.#link = link;
    this.#definition = definition;
    this.handle = new AgentSession(id, state, place, link, (update) => this.#deliver(update));
  }

  get busy(): boolean {
    return this.#run !== undefined;
  }

  /**
   * Runs one turn: `admit`, which may refuse it, and then the author's code. Rejects with -32600 when
   * there is a turn already.
   */
  async prompt(
    blocks: readonly ContentBlock[],
    signal: AbortSignal,
    admit: () => Promise<void>,
  ): Promise<PromptResponse> {
    if (this.#run) {
      const message = "The session is busy with another prompt; wait for it or cancel it first";
      throw invalidRequest(message, { sessionId: this.handle.id });
    }
    const run = new TurnExecution(this.handle, blocks, this.#link, (update) =>
      this.#deliver(update),
    );
    this.#run = run;
    // A request that is given up, and a connection that is lost, end a turn as a cancel does.
    const giveUp = (): void => run.cancel();
    if (signal.aborted) giveUp();
    else signal.addEventListener("abort", giveUp, { once: true });
    try {
      return await run.run(async (turn) => {
        await admit();
        if (turn.signal.aborted) return "cancelled";
        return await this.#definition.prompt(turn);
      });
    } finally {
      signal.removeEventListener("abort", giveUp);
      this.#run = undefined;
    }
  }

  cancel(): void {
    this.#run?.cancel();
  }

  /** Cancels the turn, waits for its end, and frees the session. A second time it does nothing. */
  async close(): Promise<void> {
    if (this.#closed) return;
    const run = this.#run;
    run?.cancel();
    await run?.ended;
    if (this.#closed) return;
    this.#closed = true;
    await this.#definition.closeSession?.(this.handle);
  }

  #deliver(update: SessionUpdate): Promise<void> {
    if (this.#closed) return quiet(Promise.reject(new SessionClosedError(this.handle.id)));
    const sent = this.#link.update(this.handle.id, update);
    this.#definition.recordUpdate?.(this.handle, update);
    return sent;
  }
}
