import { RemoteError, RpcError } from "../../../transport/rpc/index.ts";
import { asObject, type JsonObject, toError } from "../../../base/index.ts";
import { FleetError } from "../errors.ts";
import {
  type FleetEntry,
  type LoggedTurnEnd,
  TURN_CODES,
  type TurnFailure,
  NOT_RUN,
  remember,
} from "../session/entries.ts";
import type { SessionWriter } from "../session/writer.ts";

export interface AcceptedPrompt {
  readonly id: string;
  readonly by: string;
  readonly prompt: readonly JsonObject[];
}

export interface TurnsSession {
  readonly writer: SessionWriter;
  /** The ids of all prompts that the session knows. */
  readonly known: Set<string>;
  readonly maxQueued: number;
  send(prompt: readonly JsonObject[]): Promise<unknown>;
  cancel(): void;
  /** Stores whether a prompt is open. Called before the first one is in the log, and after the last one ended. */
  storeBusy(): Promise<void>;
}

const CANCELLED = { result: { stopReason: "cancelled" } };

/**
 * Runs the prompts of one session one after the other. Each is in the log before the agent sees it, so the
 * next owner knows which prompts may have been run, and none is run twice.
 */
export class SessionTurns {
  readonly #session: TurnsSession;
  /** The prompts that are not in the log yet. */
  readonly #accepting = new Map<string, Promise<void>>();
  /** Those of them that were cancelled. */
  readonly #cancelled = new Set<string>();
  #waiting: AcceptedPrompt[] = [];
  #running: AcceptedPrompt | undefined;
  #isEnded = false;
  /** Resolves when no turn is running anymore. */
  settled: Promise<void> = Promise.resolve();

  constructor(session: TurnsSession) {
    this.#session = session;
  }

  /** Whether a prompt runs, waits or is about to be accepted. */
  get isBusy(): boolean {
    return this.#running !== undefined || this.#waiting.length + this.#accepting.size > 0;
  }

  /**
   * Accepts a prompt, and resolves once that is in the log, with whether it is new. A prompt whose id is known
   * is not run again.
   * Rejects with FleetError: `try_later` if too many wait, `fenced`, or `unavailable`.
   */
  async accept(prompt: AcceptedPrompt): Promise<boolean> {
    const { writer, known, maxQueued } = this.#session;
    if (prompt.id === "") throw new FleetError("invalid", "a prompt needs an id");
    if (known.has(prompt.id)) {
      await this.#accepting.get(prompt.id);
      await writer.flush();
      return false;
    }
    if (this.#waiting.length + this.#accepting.size >= maxQueued) {
      throw new FleetError("try_later", "too many prompts wait for this session: try again later");
    }
    remember(known, prompt.id);
    const accepting = this.#store(prompt);
    this.#accepting.set(prompt.id, accepting);
    try {
      await accepting;
    } catch (error) {
      known.delete(prompt.id);
      this.#cancelled.delete(prompt.id);
      throw error;
    } finally {
      this.#accepting.delete(prompt.id);
    }
    if (this.#cancelled.delete(prompt.id)) this.#ended(prompt, CANCELLED);
    else if (this.#isEnded) this.#ended(prompt, { error: NOT_RUN });
    else this.#waiting.push(prompt);
    if (!this.#running) this.settled = this.#run();
    return true;
  }

  async #store(prompt: AcceptedPrompt): Promise<void> {
    // Before the log: if this worker dies, others look only at the logs of busy sessions.
    await this.#session.storeBusy();
    await this.#session.writer.append({ type: "prompt", ...prompt });
  }

  /** Cancels the running turn and the prompts that wait. */
  cancel(): void {
    for (const id of this.#accepting.keys()) this.#cancelled.add(id);
    for (const prompt of this.#waiting.splice(0)) this.#ended(prompt, CANCELLED);
    if (this.#running) this.#session.cancel();
  }

  /** Starts no more turns, and reports the prompts that wait as not run. */
  end(): void {
    this.#isEnded = true;
    for (const prompt of this.#waiting.splice(0)) this.#ended(prompt, { error: NOT_RUN });
  }

  /** Reports the end of a prompt that the agent did not get. */
  #ended({ id }: AcceptedPrompt, end: Pick<LoggedTurnEnd, "result" | "error">): void {
    this.#session.writer.add({ type: "turn_ended", id, ...end });
  }

  async #run(): Promise<void> {
    try {
      for (;;) {
        const next = this.#waiting.shift();
        this.#running = next;
        if (!next) break;
        await this.#turn(next);
      }
      // A prompt that arrives meanwhile starts another run.
      await this.#session.storeBusy();
    } catch {
      // The session is lost, and its next owner reports the turn.
      this.#running = undefined;
    }
  }

  async #turn({ id, prompt }: AcceptedPrompt): Promise<void> {
    const { writer } = this.#session;
    await writer.append({ type: "turn_started", id });
    await writer.append(await this.#outcome(id, prompt));
  }

  async #outcome(id: string, prompt: readonly JsonObject[]): Promise<FleetEntry> {
    try {
      const result = asObject(await this.#session.send(prompt));
      return { type: "turn_ended", id, result };
    } catch (error) {
      return { type: "turn_ended", id, error: failureOf(error) };
    }
  }
}

/** Pure: an error of the agent as the log has it. Any other means that the connection was lost. */
function failureOf(error: unknown): TurnFailure {
  if (error instanceof RemoteError || error instanceof RpcError) {
    const { code, message, data } = error;
    return { code, message, data };
  }
  return { code: TURN_CODES.outcomeUnknown, message: toError(error).message };
}
