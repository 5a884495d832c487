import type { Meta, ParamsOf, PromptResponse, SessionUpdate } from "../../acp/index.ts";
import { quiet } from "../../wire/index.ts";
import type { Link } from "../connection/client-link.ts";
import type { AgentDefinition, EmptyAnswer, RequestScope, TurnEnd } from "../definition.ts";
import { invalidRequest, SessionClosedError, TurnCancelledError } from "../errors.ts";
import type { Deliver } from "./deliver.ts";
import { AuthorSession, type SessionWorkspace } from "./session.ts";
import { TurnExecution } from "../turn/turn-execution.ts";

/** An open session: the handle that authors see, and its current turn. */
export class OpenSession<S> {
  readonly handle: AuthorSession<S>;
  readonly #definition: AgentDefinition<S>;
  readonly #link: Link;
  #turn: TurnExecution<S> | undefined;
  #closed = false;

  constructor(
    id: string,
    state: S,
    workspace: SessionWorkspace,
    link: Link,
    definition: AgentDefinition<S>,
  ) {
    this.#link = link;
    this.#definition = definition;
    const deliver: Deliver = (update, meta) => this.#deliver(update, meta);
    this.handle = new AuthorSession(id, state, workspace, link, deliver);
  }

  get busy(): boolean {
    return this.#turn !== undefined;
  }

  /**
   * Runs one turn: first `admit`, which may deny it, then the author's code. Rejects with -32600 if a
   * turn is already running.
   */
  async prompt(
    params: ParamsOf["session/prompt"],
    signal: AbortSignal,
    admit: () => Promise<void>,
  ): Promise<PromptResponse> {
    if (this.#turn) {
      const message = "The session is busy with another prompt; wait for it or cancel it first";
      throw invalidRequest(message, { sessionId: this.handle.id });
    }
    const execution = new TurnExecution(this.handle, params, this.#link, (update, meta) =>
      this.#deliver(update, meta),
    );
    this.#turn = execution;
    // A cancelled request and a lost connection both cancel the turn.
    const cancel = (): void => execution.cancel();
    if (signal.aborted) cancel();
    else signal.addEventListener("abort", cancel, { once: true });
    try {
      return await execution.run(async (turn) => {
        await admit();
        if (turn.signal.aborted) return "cancelled";
        return usableEnd(await this.#definition.prompt(turn), this.#definition);
      });
    } finally {
      signal.removeEventListener("abort", cancel);
      this.#turn = undefined;
    }
  }

  cancel(meta?: Meta): void {
    this.#turn?.cancel(new TurnCancelledError({ meta }));
  }

  /** Cancels the turn, waits for its end, and frees the session. A second call does nothing. */
  async close(scope?: RequestScope): Promise<EmptyAnswer | void> {
    if (this.#closed) return;
    const turn = this.#turn;
    turn?.cancel();
    await turn?.ended;
    if (this.#closed) return;
    this.#closed = true;
    this.handle.close();
    return await this.#definition.closeSession?.(this.handle, scope);
  }

  #deliver(update: SessionUpdate, meta: Meta | undefined): Promise<void> {
    if (this.#closed) return quiet(Promise.reject(new SessionClosedError(this.handle.id)));
    const sent = this.#link.update(this.handle.id, update, meta);
    this.#definition.recordUpdate?.(this.handle, update);
    return sent;
  }
}

/** How a turn ended, without the usage unless the agent uses the unstable protocol. Pure. */
function usableEnd<S>(end: TurnEnd, { unstable }: AgentDefinition<S>): TurnEnd {
  if (unstable === true || typeof end !== "object") return end;
  return { stopReason: end.stopReason, meta: end.meta };
}
