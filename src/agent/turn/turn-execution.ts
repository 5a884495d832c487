import {
  metaField,
  metaOf,
  type ParamsOf,
  type PromptResponse,
  type TurnUsage,
} from "../../protocol/acp/index.ts";
import { deferred } from "../../base/index.ts";
import type { Link } from "../connection/client.ts";
import type { TurnEnd } from "../definition.ts";
import { TurnCancelledError } from "../errors.ts";
import type { Deliver } from "../session/sender.ts";
import type { AgentSession } from "../session/session.ts";
import type { SessionWork } from "../v2/session-work.ts";
import { type TurnOutcome, TurnToolCalls } from "./tool-call.ts";
import { TurnTerminals } from "./turn-terminals.ts";
import { AuthorTurn, type Turn } from "./turn.ts";
import { TurnScope } from "./turn-scope.ts";

/** Runs one turn, from its prompt to its answer, and cleans up after the author's code. */
export class TurnExecution<S> {
  readonly turn: Turn<S>;
  readonly #controller = new AbortController();
  readonly #scope: TurnScope;
  readonly #toolCalls: TurnToolCalls;
  readonly #terminals: TurnTerminals;
  readonly #ended = deferred();

  constructor(
    session: AgentSession<S>,
    params: Pick<ParamsOf["session/prompt"], "prompt" | "_meta">,
    link: Link,
    deliver: Deliver,
    work: SessionWork,
  ) {
    const scope = new TurnScope(session.id, link, this.#controller.signal, deliver);
    this.#scope = scope;
    const { cwd } = session;
    this.#toolCalls = new TurnToolCalls({ scope, work, cwd });
    this.#terminals = new TurnTerminals(scope, work, cwd);
    const parts = { scope, toolCalls: this.#toolCalls, terminals: this.#terminals };
    this.turn = new AuthorTurn(session, params.prompt, metaOf(params) ?? {}, parts);
  }

  /** Resolves when the author's code has ended. Never rejects. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  get isCancelled(): boolean {
    return this.#controller.signal.aborted;
  }

  /** Cancels the turn. Does nothing if it was cancelled before or has ended. */
  cancel(reason: Error = new TurnCancelledError()): void {
    this.#controller.abort(reason);
  }

  /**
   * Runs the author's code and rejects if it throws. A cancelled turn always resolves as cancelled,
   * even if the code throws or returns another stop reason.
   */
  async run(prompt: (turn: Turn<S>) => Promise<TurnEnd>): Promise<PromptResponse> {
    let ended: TurnOutcome = "failed";
    try {
      const response = toResponse(await prompt(this.turn));
      ended = response.stopReason === "cancelled" ? "cancelled" : "completed";
      return this.isCancelled ? CANCELLED : response;
    } catch (error) {
      if (this.isCancelled) return CANCELLED;
      throw error;
    } finally {
      this.#toolCalls.settle(this.isCancelled ? "cancelled" : ended);
      const released = this.#terminals.releaseAll();
      if (released) await released;
      this.#scope.end();
      this.#ended.resolve();
    }
  }
}

const CANCELLED: PromptResponse = { stopReason: "cancelled" };

function toResponse(result: TurnEnd): PromptResponse & { usage?: TurnUsage } {
  if (result === undefined) return { stopReason: "end_turn" };
  if (typeof result === "string") return { stopReason: result };
  const { stopReason, usage, meta } = result;
  return { stopReason, ...(usage && { usage }), ...metaField(meta) };
}
