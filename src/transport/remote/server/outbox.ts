import { formatEvent, formatPosition, KEEP_ALIVE } from "../http/sse.ts";
import type { HttpResponseLike } from "./options.ts";

/** The part of a connection that its streams use. */
export interface OutboxHost {
  moved(): void;
  readerChanged(): void;
}

/** How long a stalled reader may take to get the end of its stream. */
const LAST_WORDS_MS = 1000;

/** How far the kept events may exceed their share before some are forgotten. */
const SPARE = 1.25;

/**
 * The events of one stream: those that wait for the reader, and the last ones that it was sent, in case
 * it comes back and missed some.
 */
export class Outbox {
  readonly #host: OutboxHost;
  /** The events from `#first` on. */
  #events: string[] = [];
  /** The id of the first event that is kept. Ids start at 1. */
  #first = 1;
  #next = 1;
  #keptChars = 0;
  #reader: HttpResponseLike | undefined;
  #isBlocked = false;
  #blockedAt = 0;
  /** How many characters wait to be written. */
  unsent = 0;

  constructor(host: OutboxHost) {
    this.#host = host;
  }

  get hasReader(): boolean {
    return this.#reader !== undefined;
  }

  push(line: string): void {
    const event = formatEvent(line, this.#end);
    this.#events.push(event);
    this.#keptChars += event.length;
    this.unsent += event.length;
    this.#flush();
  }

  /** Forgets written events, so that hardly more than `chars` are kept. Rarely, because it moves all. */
  trim(chars: number): void {
    if (this.#keptChars <= SPARE * chars) return;
    const sent = this.#next - this.#first;
    let count = 0;
    while (count < sent && this.#keptChars > chars) {
      this.#keptChars -= this.#events[count]?.length ?? 0;
      count++;
    }
    if (count === 0) return;
    this.#events.splice(0, count);
    this.#first += count;
  }

  /**
   * Gives the stream to a reader, in place of the one it has. Returns false if events after
   * `lastEventId` are not kept anymore. Without an id, the stream continues where it was.
   */
  attach(response: HttpResponseLike, lastEventId: string | undefined): boolean {
    if (lastEventId !== undefined && !this.#moveTo(lastEventId)) return false;
    const former = this.#reader;
    this.#reader = response;
    this.#isBlocked = false;
    former?.end();
    response.on("drain", () => {
      if (this.#reader !== response) return;
      this.#isBlocked = false;
      this.#flush();
    });
    response.on("close", () => this.#detach(response));
    response.on("error", () => this.#detach(response));
    response.statusCode = 200;
    response.setHeader("content-type", "text/event-stream");
    response.setHeader("cache-control", "no-cache, no-transform");
    response.setHeader("x-accel-buffering", "no");
    // This sends the headers, too.
    this.#write(response, formatPosition(this.#next - 1));
    this.#flush();
    this.#host.readerChanged();
    return true;
  }

  /** Sends a sign of life, or cuts off a reader that took nothing for `stallMs`. */
  tick(stallMs: number): void {
    if (!this.#reader) return;
    if (!this.#isBlocked) this.#write(this.#reader, KEEP_ALIVE);
    else if (performance.now() - this.#blockedAt > stallMs) this.#reader.destroy();
  }

  finish(): void {
    const reader = this.#reader;
    this.#reader = undefined;
    const rest = this.#events.slice(this.#next - this.#first).join("");
    this.#events = [];
    this.#keptChars = 0;
    this.unsent = 0;
    this.#first = this.#next;
    if (!reader) return;
    reader.end(rest);
    const timer = setTimeout(() => reader.destroy(), LAST_WORDS_MS);
    timer.unref();
    reader.on("close", () => clearTimeout(timer));
  }

  /** The id of the next event that is added. */
  get #end(): number {
    return this.#first + this.#events.length;
  }

  #moveTo(lastEventId: string): boolean {
    const next = Number(lastEventId) + 1;
    if (!/^\d{1,15}$/.test(lastEventId) || next < this.#first || next > this.#end) return false;
    this.#next = next;
    this.unsent = this.#events
      .slice(next - this.#first)
      .reduce((sum, event) => sum + event.length, 0);
    return true;
  }

  #flush(): void {
    const before = this.#next;
    while (this.#reader && !this.#isBlocked && this.#next < this.#end) {
      const event = this.#events[this.#next - this.#first] ?? "";
      this.#next++;
      this.unsent -= event.length;
      this.#write(this.#reader, event);
    }
    if (this.#next !== before) this.#host.moved();
  }

  #write(response: HttpResponseLike, text: string): void {
    if (response.write(text) || this.#isBlocked) return;
    this.#isBlocked = true;
    this.#blockedAt = performance.now();
  }

  #detach(response: HttpResponseLike): void {
    if (this.#reader !== response) return;
    this.#reader = undefined;
    this.#isBlocked = false;
    this.#host.readerChanged();
  }
}
