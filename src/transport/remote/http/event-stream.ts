import { pause, toError } from "../../../base/index.ts";
import { HttpStatusError } from "../errors.ts";
import { EventParser, EventTooLongError } from "./sse.ts";

/** How a stream reaches the server and the rest of the channel. */
export interface EventStreamHost {
  /** Requests the stream. `lastEventId` is the last event that arrived. */
  request(lastEventId: string | undefined, signal: AbortSignal): Promise<Response>;
  /** Takes the data of one event, in order. Resolves when there is room for more. */
  deliver(data: string): Promise<void>;
  /** The stream broke off, and the server cannot say whether messages were lost with it. */
  uncertain(error: Error): void;
  /** The stream ended and cannot be opened again. */
  lost(error: Error): void;
}

/** How a lost event stream is requested again. */
export interface RetryOptions {
  /** How often in a row, until the stream stays open. Default: 8. */
  readonly attempts: number;
  /** The wait before the second attempt, in milliseconds. It doubles each time. Default: 250. */
  readonly firstMs: number;
  /** The longest wait, in milliseconds. Default: 8000. */
  readonly longestMs: number;
  /** A stream that is silent for longer, in milliseconds, is requested again. Default: 60 s. */
  readonly silenceMs: number;
}

export const DEFAULT_RETRY: RetryOptions = {
  attempts: 8,
  firstMs: 250,
  longestMs: 8000,
  silenceMs: 60_000,
};

/** A stream that was open for this long was not refused, even if it carried nothing. */
const STAYED_OPEN_MS = 10_000;

/** Statuses that a second request does not change. */
const FINAL: ReadonlySet<number> = /* @__PURE__ */ new Set([400, 401, 403, 404, 405, 406, 410]);

/** One event stream of a server, requested again whenever it ends. */
export class EventStream {
  readonly #host: EventStreamHost;
  readonly #retry: RetryOptions;
  readonly #limit: number;
  readonly #controller = new AbortController();
  #lastEventId: string | undefined;
  /** Whether the server numbers its events, and can therefore repeat those that were lost. */
  #isNumbered = false;
  #attempts = 0;

  /** `after` asks for the events after this one: "0" for all. Undefined: the server decides. */
  constructor(
    host: EventStreamHost,
    retry: RetryOptions,
    limit: number,
    after: string | undefined,
  ) {
    this.#host = host;
    this.#retry = retry;
    this.#limit = limit;
    this.#lastEventId = after;
  }

  get lastEventId(): string | undefined {
    return this.#lastEventId;
  }

  /** Requests the stream, and resolves when the server has answered. Rejects if it refused. */
  async open(): Promise<void> {
    const opened = await this.#request();
    void this.#follow(opened);
  }

  close(): void {
    this.#controller.abort();
  }

  get #isClosed(): boolean {
    return this.#controller.signal.aborted;
  }

  async #request(): Promise<OpenedStream> {
    const signal = this.#controller.signal;
    const attempt = new AbortController();
    const stop = (): void => attempt.abort();
    signal.addEventListener("abort", stop, { once: true });
    const release = (): void => signal.removeEventListener("abort", stop);
    // A server that does not answer is not better than one that is silent.
    const late = setTimeout(stop, this.#retry.silenceMs);
    try {
      const response = await this.#host
        .request(this.#lastEventId, attempt.signal)
        .finally(() => clearTimeout(late));
      if (response.status === 200 && response.body) {
        return { reader: response.body.getReader(), stop, release };
      }
      throw new HttpStatusError("event stream", response.status, await errorBodyText(response));
    } catch (error) {
      release();
      throw error;
    }
  }

  async #follow(first: OpenedStream): Promise<void> {
    let opened: OpenedStream | undefined = first;
    while (opened) {
      const failure = await this.#read(opened);
      opened.release();
      if (this.#isClosed) return;
      if (failure instanceof EventTooLongError) return this.#host.lost(failure);
      // A stream that ended in good order was delivered to its end.
      if (failure && !this.#isNumbered) this.#host.uncertain(failure);
      opened = await this.#reopened(failure ?? new Error("the server ended the event stream"));
    }
  }

  /** Reads to the end. Resolves with the error that ended the stream too early. */
  async #read({ reader, stop }: OpenedStream): Promise<Error | undefined> {
    const parser = new EventParser(this.#limit);
    const decoder = new TextDecoder();
    const openedAt = performance.now();
    try {
      for (;;) {
        // Only the server's silence counts, and not the time that the receiver takes.
        const silence = setTimeout(stop, this.#retry.silenceMs);
        const piece = await reader.read().finally(() => clearTimeout(silence));
        if (piece.done) return undefined;
        for (const { data, id } of parser.push(decoder.decode(piece.value, { stream: true }))) {
          this.#attempts = 0;
          this.#arrived(id);
          await this.#host.deliver(data);
          if (this.#isClosed) return undefined;
        }
        this.#arrived(parser.lastId);
      }
    } catch (error) {
      return toError(error);
    } finally {
      if (performance.now() - openedAt > STAYED_OPEN_MS) this.#attempts = 0;
      reader.cancel().catch(() => {});
    }
  }

  #arrived(id: string | undefined): void {
    if (id === undefined) return;
    this.#lastEventId = id;
    this.#isNumbered = true;
  }

  async #reopened(reason: Error): Promise<OpenedStream | undefined> {
    let failure = reason;
    while (this.#attempts < this.#retry.attempts) {
      // The first attempt is immediate: servers and proxies end streams that were open for long.
      if (this.#attempts > 0) {
        await pause(waitMs(this.#retry, this.#attempts), this.#controller.signal);
      }
      if (this.#isClosed) return undefined;
      this.#attempts++;
      try {
        return await this.#request();
      } catch (error) {
        failure = toError(error);
        if (failure instanceof HttpStatusError && FINAL.has(failure.status)) break;
      }
    }
    if (!this.#isClosed) this.#host.lost(failure);
    return undefined;
  }
}

/** The wait before the attempt that follows this many. */
export function waitMs({ firstMs, longestMs }: RetryOptions, attempts: number): number {
  return Math.min(firstMs * 2 ** (attempts - 1), longestMs);
}

interface OpenedStream {
  readonly reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly stop: () => void;
  readonly release: () => void;
}

const SHOWN_BODY_CHARS = 500;

/** The beginning of an answer's body, for an error message. */
export async function errorBodyText(response: Response): Promise<string> {
  try {
    const reader = response.body?.getReader();
    const piece = await reader?.read();
    void reader?.cancel().catch(() => {});
    return new TextDecoder().decode(piece?.value).slice(0, SHOWN_BODY_CHARS).trim();
  } catch {
    return "";
  }
}
