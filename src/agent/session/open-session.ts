import type { Meta, ParamsOf, PromptResponse, SessionUpdate } from "../../acp/index.ts";
import type { RequestContext } from "../../rpc/index.ts";
import { deferred, quiet } from "../../wire/index.ts";
import type { Link } from "../connection/client-link.ts";
import type { AgentDefinition, EmptyAnswer, RequestScope, TurnEnd } from "../definition.ts";
import { invalidRequest, SessionClosedError, TurnCancelledError } from "../errors.ts";
import type { Deliver } from "./deliver.ts";
import { AuthorSession, type SessionWorkspace } from "./session.ts";
import { TurnExecution } from "../turn/turn-execution.ts";

/** A turn that starts when those before it have ended. */
interface WaitingTurn<S> {
  readonly execution: TurnExecution<S>;
  readonly start: () => void;
}

/** A client that sends prompts without end must not exhaust the agent. */
const MAX_WAITING = 100;

/** An open session: the handle that authors see, and its current turn. */
export class OpenSession<S> {
  readonly handle: AuthorSession<S>;
  readonly #definition: AgentDefinition<S>;
  readonly #link: Link;
  #turn: TurnExecution<S> | undefined;
  readonly #waiting: WaitingTurn<S>[] = [];
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
   * Runs one turn: first `admit`, which may deny it, then the author's code. While another turn runs, it
   * waits if the agent wants that or if that turn was cancelled. Otherwise rejects with -32600.
   */
  async prompt(
    params: ParamsOf["session/prompt"],
    { id, signal }: Pick<RequestContext, "id" | "signal">,
    admit: () => Promise<void>,
  ): Promise<PromptResponse> {
    this.#assertNotBusy();
    const execution = new TurnExecution(this.handle, params, this.#link, (update, meta) =>
      this.#deliver(update, meta),
    );
    // A cancelled request and a lost connection both cancel the turn.
    const cancel = (): void => this.#cancelOne(execution);
    if (signal.aborted) cancel();
    else signal.addEventListener("abort", cancel, { once: true });
    try {
      // Without another turn, this one starts synchronously: the next line may already cancel it.
      if (this.#turn) await this.#untilFirst(execution);
      else this.#turn = execution;
      return await execution.run(async (turn) => {
        await admit();
        if (turn.signal.aborted) return "cancelled";
        this.#link.turnStarted(id);
        return usableEnd(await this.#definition.prompt(turn), this.#definition);
      });
    } finally {
      signal.removeEventListener("abort", cancel);
      if (this.#turn === execution) this.#startNext();
    }
  }

  /** Cancels the running turn and those that wait for it. */
  cancel(meta?: Meta): void {
    const reason = new TurnCancelledError({ meta });
    this.#turn?.cancel(reason);
    for (const { execution, start } of this.#waiting.splice(0)) {
      execution.cancel(reason);
      start();
    }
  }

  /** Cancels the turn, waits for its end, and frees the session. A second call does nothing. */
  async close(scope?: RequestScope): Promise<EmptyAnswer | void> {
    if (this.#closed) return;
    const turn = this.#turn;
    this.cancel();
    await turn?.ended;
    if (this.#closed) return;
    this.#closed = true;
    this.handle.close();
    return await this.#definition.closeSession?.(this.handle, scope);
  }

  #assertNotBusy(): void {
    if (!this.#turn) return;
    const sessionId = this.handle.id;
    // In v2, an agent always takes prompts and starts them in order.
    const waits = this.#definition.whenBusy === "wait" || this.#link.protocolVersion === 2;
    // A client that has cancelled need not wait for the answer before it sends the next prompt.
    const follows = this.#turn.isCancelled && this.#waiting.length === 0;
    if (!waits && !follows) {
      const message = "The session is busy with another prompt; wait for it or cancel it first";
      throw invalidRequest(message, { sessionId });
    }
    if (this.#waiting.length >= MAX_WAITING) {
      throw invalidRequest(`More than ${MAX_WAITING} prompts are waiting`, { sessionId });
    }
  }

  /** Resolves when the turns before this one have ended, or when this one is cancelled. */
  #untilFirst(execution: TurnExecution<S>): Promise<void> {
    const { promise, resolve } = deferred();
    this.#waiting.push({ execution, start: resolve });
    return promise;
  }

  #cancelOne(execution: TurnExecution<S>): void {
    execution.cancel();
    const index = this.#waiting.findIndex((waiting) => waiting.execution === execution);
    if (index === -1) return;
    const [waiting] = this.#waiting.splice(index, 1);
    waiting?.start();
  }

  #startNext(): void {
    const next = this.#waiting.shift();
    this.#turn = next?.execution;
    next?.start();
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
