import type { Meta, ParamsOf, PromptResponse, StopReason } from "../../protocol/acp/index.ts";
import { type RequestContext, toErrorObject } from "../../transport/rpc/index.ts";
import { deferred, quiet, quietly } from "../../base/index.ts";
import type { Link } from "../connection/client.ts";
import type { AgentDefinition, EmptyAnswer, RequestScope } from "../definition.ts";
import { answerable, invalidRequest, SessionClosedError, TurnCancelledError } from "../errors.ts";
import type { Deliver } from "./sender.ts";
import { AuthorSession, type SessionWorkspace, type WorkEnd } from "./session.ts";
import { type Turn, TurnExecution, type TurnEnd, type TurnParams } from "../turn/turn.ts";
import type { AgentWork } from "../turn/work.ts";
import { SessionWork } from "../v2/session-work.ts";
import { toV1Update, type SentUpdate, type V2OnlyUpdate } from "../v2/updates.ts";

interface WaitingTurn<S> {
  readonly execution: TurnExecution<S>;
  readonly start: () => void;
}

/** A client that sends prompts without end must not exhaust the agent. */
const MAX_WAITING = 100;

export class OpenSession<S> {
  readonly handle: AuthorSession<S>;
  /** Background work, and what the client may cancel. */
  readonly beyondTurns: SessionWork;
  readonly #deliverHere: Deliver;
  readonly #definition: AgentDefinition<S>;
  readonly #link: Link;
  #turn: TurnExecution<S> | undefined;
  /** The running turn, if the agent started it by itself. */
  #ownWork: TurnExecution<S> | undefined;
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
    this.#deliverHere = deliver;
    this.beyondTurns = new SessionWork(id, link, deliver);
    this.handle = new AuthorSession(id, state, workspace, link, deliver, (run) => this.#work(run));
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
    const execution = this.#execution(params);
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
        this.#link.turnStarted(id, turn.messageId);
        this.#recordPrompt(turn);
        return usableEnd(await this.#definition.prompt(turn), this.#definition);
      });
    } finally {
      signal.removeEventListener("abort", cancel);
      if (this.#turn === execution) this.#startNext();
    }
  }

  /** Runs work of the agent, in line with the turns of prompts. */
  #work(run: (work: AgentWork) => Promise<WorkEnd>): Promise<StopReason> {
    return quietly(async () => {
      if (this.#closed) throw new SessionClosedError(this.handle.id);
      this.#assertRoom();
      const execution = this.#execution({ prompt: [] });
      let isStarted = false;
      try {
        if (this.#turn) await this.#untilFirst(execution);
        else this.#turn = execution;
        this.#ownWork = execution;
        const { stopReason } = await execution.run(async (turn) => {
          if (turn.signal.aborted) return "cancelled";
          isStarted = true;
          this.#report({ state: "running" });
          return await run(turn);
        });
        if (isStarted) this.#report({ state: "idle", stopReason });
        return stopReason;
      } catch (error) {
        const failure = toErrorObject(answerable(error), false);
        if (isStarted) this.#report({ state: "idle", stopReason: "error", error: failure });
        throw error;
      } finally {
        this.#ownWork = undefined;
        if (this.#turn === execution) this.#startNext();
      }
    });
  }

  /** Reports a state that no prompt stands for. Only v2 has a message for that. */
  #report(state: Omit<Extract<V2OnlyUpdate, { sessionUpdate: "state_update" }>, "sessionUpdate">) {
    if (this.#link.protocolVersion === 1) return;
    void this.#deliver({ sessionUpdate: "state_update", ...state }, undefined);
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
    await this.beyondTurns.close();
    if (this.#closed) return;
    this.#closed = true;
    this.handle.close();
    return await this.#definition.closeSession?.(this.handle, scope);
  }

  #assertNotBusy(): void {
    if (!this.#turn) return;
    const sessionId = this.handle.id;
    // In v2, an agent always takes prompts and starts them in order.
    const waits =
      this.#definition.whenBusy === "wait" ||
      this.#link.protocolVersion === 2 ||
      this.#turn === this.#ownWork;
    // A client that has cancelled need not wait for the answer before it sends the next prompt.
    const follows = this.#turn.isCancelled && this.#waiting.length === 0;
    if (!waits && !follows) {
      const message = "The session is busy with another prompt; wait for it or cancel it first";
      throw invalidRequest(message, { sessionId });
    }
    this.#assertRoom();
  }

  #assertRoom(): void {
    if (this.#waiting.length < MAX_WAITING) return;
    const sessionId = this.handle.id;
    throw invalidRequest(`More than ${MAX_WAITING} prompts are waiting`, { sessionId });
  }

  #execution(params: TurnParams): TurnExecution<S> {
    return new TurnExecution(this.handle, params, this.#link, this.#deliverHere, this.beyondTurns);
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

  #recordPrompt({ prompt, messageId }: Turn<S>): void {
    for (const content of prompt) {
      const update = { sessionUpdate: "user_message_chunk", messageId, content } as const;
      this.#definition.recordUpdate?.(this.handle, update);
    }
  }

  #deliver(update: SentUpdate, meta: Meta | undefined): Promise<void> {
    if (this.#closed) return quiet(Promise.reject(new SessionClosedError(this.handle.id)));
    const sent = this.#link.update(this.handle.id, update, meta);
    const { recordUpdate } = this.#definition;
    const recorded = recordUpdate && toV1Update(update);
    if (recorded) recordUpdate(this.handle, recorded);
    return sent;
  }
}

/** How a turn ended, without the usage unless the agent uses the unstable protocol. Pure. */
function usableEnd<S>(end: TurnEnd, { unstable }: AgentDefinition<S>): TurnEnd {
  if (unstable === true || typeof end !== "object") return end;
  return { stopReason: end.stopReason, meta: end.meta };
}
