import type { ContentBlock, Update } from "../../acp/index.ts";
import { deferred, quiet } from "../../wire/index.ts";
import { AlreadyReadError, UpdatesLostError } from "../errors.ts";
import type { PromptTurn, TurnResult } from "./turn.ts";
import { UpdateReader, type BufferLimits } from "./update-stream.ts";

/** What a turn needs of the session that runs it. */
export interface TurnOwner {
  cancelTurn(turn: TurnImpl): void;
  /** The way the turn is read has changed. */
  turnMoved(): void;
}

export class TurnImpl implements PromptTurn {
  readonly blocks: ContentBlock[];
  readonly meta: Readonly<Record<string, unknown>> | undefined;
  /** Resolves when the turn is over, in whatever way. */
  readonly ended: Promise<void>;
  readonly reader: UpdateReader<Update>;
  /** A cancel was asked for, by whomever. */
  cancelled = false;
  /** What the turn fails with although the agent was asked to end it: a limit that ran out. */
  failure: Error | undefined;
  readonly #owner: TurnOwner;
  readonly #result = deferred<TurnResult>();
  #awaited = false;
  #claimed = false;
  #over = false;

  constructor(
    owner: TurnOwner,
    blocks: ContentBlock[],
    limits: BufferLimits,
    meta: Readonly<Record<string, unknown>> | undefined,
  ) {
    this.#owner = owner;
    this.blocks = blocks;
    this.meta = meta;
    this.reader = new UpdateReader(
      limits,
      () => owner.turnMoved(),
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
      this.#owner.turnMoved();
    }
    return this.#result.promise;
  }

  get over(): boolean {
    return this.#over;
  }

  get dropped(): number {
    return this.reader.dropped;
  }

  /** Somebody waits for the end, and nobody reads: nothing may hold the connection then. */
  get mustFlow(): boolean {
    return this.cancelled || (this.#awaited && !this.reader.active);
  }

  cancel(): Promise<void> {
    this.#owner.cancelTurn(this);
    return this.ended;
  }

  async text(): Promise<string> {
    const reader = this.#claim();
    if (reader.dropped > 0) throw new UpdatesLostError(reader.dropped);
    let text = "";
    for await (const update of reader) text += update.text;
    return text;
  }

  [Symbol.asyncIterator](): AsyncIterator<Update, undefined> {
    return this.#claim();
  }

  complete(result: TurnResult): void {
    this.#over = true;
    this.reader.end();
    this.#result.resolve(result);
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
