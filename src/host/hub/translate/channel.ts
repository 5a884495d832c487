import type { VersionTranslator } from "../../../protocol/translator/index.ts";
import {
  callSafely,
  immediately,
  type JsonObject,
  parseFrame,
  quietly,
} from "../../../base/index.ts";
import type { Channel, CloseReason } from "../../../transport/wire/index.ts";
import { processIdOf } from "../process-id.ts";

/** The lines that one line becomes: those that go on, and those that go back to where it came from. */
export interface TranslatedLines {
  readonly on: readonly string[];
  readonly back: readonly string[];
}

/** Translates the lines of one connection. Neither function throws. */
export interface LineTranslation {
  /** Translates a line that this side sends. */
  sent(line: string): TranslatedLines;
  /** Translates a line that the other side sent. */
  received(line: string): TranslatedLines;
}

/** The line as it is. */
export function unchanged(line: string): TranslatedLines {
  return { on: [line], back: [] };
}

/**
 * Translates a line of one side. A line that is not a frame passes as it is, and so does a frame that the
 * translator returns, because serialising it again would change its numbers and its spaces.
 */
export function translateLine(
  line: string,
  from: "client" | "agent",
  translator: VersionTranslator | undefined,
): TranslatedLines {
  const frame = translator && parseFrame(line);
  if (!frame) return unchanged(line);
  const fromClient = from === "client";
  const translated = attempt(() =>
    fromClient ? translator.fromClient(frame) : translator.fromAgent(frame),
  );
  // A message that makes no sense in the other version, such as a tool call whose id is an object.
  if (!translated) return { on: [], back: [] };
  const { toAgent, toClient } = translated;
  const text = (message: JsonObject): string =>
    message === frame ? line : JSON.stringify(message);
  const [on, back] = fromClient ? [toAgent, toClient] : [toClient, toAgent];
  return { on: on.map(text), back: back.map(text) };
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** A channel whose lines are translated in both directions, in order. */
export class TranslatedChannel implements Channel {
  readonly closed: Promise<CloseReason>;
  /** The id of the process behind the channel; undefined if there is none. */
  readonly pid: number | undefined;
  readonly #channel: Channel;
  readonly #translation: LineTranslation;
  #receive: ((line: string) => void) | undefined;
  /** Lines for this side that wait, because an answer on the way must not arrive during `send`. */
  #waiting: string[] = [];
  /** How many answers the other side has not taken. Nothing is read from it meanwhile. */
  #untaken = 0;
  #isPaused = false;

  constructor(channel: Channel, translation: LineTranslation) {
    this.#channel = channel;
    this.#translation = translation;
    this.pid = processIdOf(channel);
    this.closed = channel.closed.then((reason) => {
      callSafely(() => this.#deliverWaiting());
      return reason;
    });
  }

  open(receive: (line: string) => void): void {
    this.#channel.open((line) => {
      const { on, back } = this.#translation.received(line);
      if (back.length > 0) void this.#answer(back);
      for (const translated of on) {
        if (this.#waiting.length === 0) receive(translated);
        else this.#waiting.push(translated);
      }
    });
    this.#receive = receive;
    this.#deliverWaiting();
  }

  send(line: string): Promise<void> {
    const { on, back } = this.#translation.sent(line);
    if (back.length > 0) {
      if (this.#waiting.length === 0) immediately(() => this.#deliverWaiting());
      this.#waiting.push(...back);
    }
    return quietly(() => this.#sendAll(on));
  }

  pause(): void {
    this.#isPaused = true;
    this.#channel.pause();
  }

  resume(): void {
    this.#isPaused = false;
    if (this.#untaken === 0) this.#channel.resume();
  }

  close(): Promise<CloseReason> {
    return this.#channel.close();
  }

  async #sendAll(lines: readonly string[]): Promise<void> {
    await Promise.all(lines.map((line) => this.#channel.send(line)));
  }

  /** Answers the other side, which may ask for more only once it has taken the answers. */
  async #answer(lines: readonly string[]): Promise<void> {
    this.#untaken++;
    this.#channel.pause();
    await this.#sendAll(lines).catch(() => {});
    this.#untaken--;
    if (this.#untaken === 0 && !this.#isPaused) this.#channel.resume();
  }

  #deliverWaiting(): void {
    if (!this.#receive) return;
    // A line that arrives meanwhile is added to the end.
    for (let line = this.#waiting[0]; line !== undefined; line = this.#waiting[0]) {
      this.#receive(line);
      this.#waiting.shift();
    }
  }
}
