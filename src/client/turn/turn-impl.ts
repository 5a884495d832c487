import type { ContentBlock, Meta, PromptResult, Update } from "../../protocol/acp/index.ts";
import { AnswerText, deferred, type QueuedItem, quiet, unlessAborted } from "../../base/index.ts";
import { AlreadyReadError } from "../errors.ts";
import type { CancelOptions, PromptOptions, PromptTurn, TurnResult } from "../session/session.ts";
import { collectAnswer } from "./collect-answer.ts";
import { UpdateReader, type BufferLimits } from "./update-stream.ts";

/** The part of a session that a turn uses. */
export interface TurnOwner {
  cancelTurn(turn: TurnImpl, meta?: Meta): void;
  /** The turn has gained or lost a reader, or a reader has fallen behind or caught up. */
  readingChanged(): void;
}

/** A time limit of a turn. */
export interface TurnLimit {
  readonly kind: "turnMs" | "turnIdleMs" | "timeoutMs";
  readonly ms: number;
}

export class TurnImpl implements PromptTurn {
  readonly blocks: ContentBlock[];
  readonly meta: Meta | undefined;
  /** Replaces `timeouts.turnMs`. */
  readonly timeoutMs: number | undefined;
  /** Resolves when the turn has ended, for any reason. */
  readonly ended: Promise<void>;
  readonly reader: UpdateReader<Update>;
  /** True once a cancel was requested, by the caller or by a time limit. */
  cancelled = false;
  /** The limit that expired. The turn fails with it, no matter how the agent answers the cancel. */
  expired: TurnLimit | undefined;
  /** Set when a cancel of the session was sent, which also withdraws prompts that have not started. */
  sessionCancelled = false;
  readonly #owner: TurnOwner;
  readonly #result = deferred<TurnResult>();
  readonly #answer = new AnswerText();
  readonly #withdrawal = new AbortController();
  #awaited = false;
  #claimed = false;
  #over = false;

  constructor(
    owner: TurnOwner,
    blocks: ContentBlock[],
    limits: BufferLimits,
    { meta, timeoutMs }: Pick<PromptOptions, "meta" | "timeoutMs">,
  ) {
    this.#owner = owner;
    this.blocks = blocks;
    this.meta = meta;
    this.timeoutMs = timeoutMs;
    this.reader = new UpdateReader(
      limits,
      () => owner.readingChanged(),
      () => owner.cancelTurn(this),
    );
    this.ended = quiet(this.#result.promise).then(
      () => {},
      () => {},
    );
  }

  get result(): Promise<TurnResult> {
    if (!this.#awaited) {
      this.#awaited = true;
      this.#owner.readingChanged();
    }
    return this.#result.promise;
  }

  /** Aborted when the prompt is withdrawn before the agent starts its turn. */
  get withdrawal(): AbortSignal {
    return this.#withdrawal.signal;
  }

  withdraw(): void {
    this.#withdrawal.abort(new Error("the prompt was withdrawn"));
  }

  get over(): boolean {
    return this.#over;
  }

  get dropped(): number {
    return this.reader.dropped;
  }

  /** The turn must not hold the connection if it was cancelled, or awaited but not read. */
  get mustFlow(): boolean {
    return this.cancelled || (this.#awaited && !this.reader.active);
  }

  async cancel({ signal, meta }: CancelOptions = {}): Promise<void> {
    this.#owner.cancelTurn(this, meta);
    await (signal ? unlessAborted(this.ended, signal).catch(() => {}) : this.ended);
  }

  text(): Promise<string> {
    return quiet(this.result.then(({ text }) => text));
  }

  [Symbol.asyncIterator](): AsyncIterator<Update, undefined> {
    return this.#claim();
  }

  /** Takes one update, in wire order. */
  receive(item: QueuedItem<Update>): void {
    collectAnswer(this.#answer, item.value);
    this.reader.push(item);
  }

  complete(result: PromptResult): void {
    this.#over = true;
    this.reader.end();
    const { text, finalMessage } = this.#answer;
    this.#result.resolve({ ...result, text, finalMessage });
  }

  fail(error: Error): void {
    this.#over = true;
    this.reader.end(error);
    this.#result.reject(error);
  }

  #claim(): UpdateReader<Update> {
    if (this.#claimed) throw new AlreadyReadError();
    this.#claimed = true;
    return this.reader;
  }
}
