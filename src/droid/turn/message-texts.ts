import type { DroidEvent } from "./events.ts";
import type { DroidMessage } from "../protocol/messages.ts";

/** Receives the events, in order. */
export type Emit = (event: DroidEvent) => void;

type Kind = "text" | "thinking";

/** The text and thinking emitted so far for a message that is still streaming. */
interface OpenMessage {
  readonly text: RunningText;
  readonly thinking: RunningText;
}

/**
 * Emits the text of each assistant message once, whether it arrives as deltas, as a whole, or both.
 *
 * Deltas are emitted as they arrive. The whole message then adds any text the deltas lacked. If it
 * contradicts them, they are retracted first: after a model call that broke off, Droid streams the
 * message again under the same id. 0.225 reports that with `assistant_message_retracted`, 0.99 does
 * not report it.
 */
export class MessageTexts {
  readonly #emit: Emit;
  #open = new Map<string, OpenMessage>();
  #done = new Set<string>();
  /** Ids of the previous turn, whose messages must not be emitted again if Droid repeats them late. */
  #doneInPreviousTurn = new Set<string>();
  /** Deltas come in runs of one message, so the last message looked up is nearly always the next one too. */
  #lastId: string | undefined;
  #last: OpenMessage | undefined;

  constructor(emit: Emit) {
    this.#emit = emit;
  }

  startTurn(): void {
    // A turn may end before its last message is whole. That message is not part of the next turn.
    for (const id of this.#open.keys()) this.#done.add(id);
    this.#doneInPreviousTurn = this.#done;
    this.#done = new Set();
    this.#forgetOpen();
  }

  /** Emits a delta. Returns true if it is the first of its message. */
  delta(kind: Kind, messageId: string, blockIndex: number, text: string): boolean {
    let first = false;
    let open = this.#last;
    if (messageId !== this.#lastId || !open) {
      if (this.#isDone(messageId)) return false;
      open = this.#open.get(messageId);
      if (!open) {
        open = { text: new RunningText(), thinking: new RunningText() };
        this.#open.set(messageId, open);
        first = true;
      }
      this.#lastId = messageId;
      this.#last = open;
    }
    open[kind].add(text);
    this.#emit({ type: kind, messageId, blockIndex, text });
    return first;
  }

  /** Takes the whole message and emits what is missing. Ignores a message it has seen before. */
  whole(message: DroidMessage): void {
    const { id } = message;
    if (this.#isDone(id)) return;
    const open = this.#open.get(id);
    this.#close(id);
    this.#done.add(id);
    if (!open) return this.#emitAll(message);
    const missing = open.text.missingFrom(textOf(message));
    if (missing === undefined) {
      this.#emit({ type: "retracted", messageId: id });
      this.#emitAll(message);
      return;
    }
    // Stored thinking may be shortened or signed, so it is only emitted if none was streamed.
    if (open.thinking.isEmpty) this.#emitBlocks(message, "thinking");
    if (missing !== "")
      this.#emit({ type: "text", messageId: id, blockIndex: lastIndex(message), text: missing });
  }

  /** Retracts everything emitted for this message. */
  retract(messageId: string): void {
    this.#close(messageId);
    this.#done.delete(messageId);
    this.#emit({ type: "retracted", messageId });
  }

  #emitAll(message: DroidMessage): void {
    this.#emitBlocks(message, "thinking");
    this.#emitBlocks(message, "text");
  }

  #emitBlocks(message: DroidMessage, kind: Kind): void {
    for (const [blockIndex, block] of message.content.entries()) {
      if (block.type === kind && block.text !== "")
        this.#emit({ type: kind, messageId: message.id, blockIndex, text: block.text });
    }
  }

  #isDone(id: string): boolean {
    return this.#done.has(id) || this.#doneInPreviousTurn.has(id);
  }

  #close(id: string): void {
    this.#open.delete(id);
    this.#lastId = undefined;
    this.#last = undefined;
  }

  #forgetOpen(): void {
    this.#open.clear();
    this.#lastId = undefined;
    this.#last = undefined;
  }
}

function textOf(message: DroidMessage): string {
  return message.content.map((block) => (block.type === "text" ? block.text : "")).join("");
}

function lastIndex(message: DroidMessage): number {
  return message.content.findLastIndex((block) => block.type === "text");
}

const SEED = 0x811c9dc5;
const PRIME = 0x01000193;

/**
 * Keeps the length and a hash of a text that arrives in pieces, so that the whole text can be
 * compared with it later. Blanks at both ends do not count, since Droid trims them when it stores a
 * message.
 *
 * Keeping the pieces would be simpler, but a long answer would be in memory twice, and its many
 * small pieces would make garbage collection the largest cost of streaming.
 */
export class RunningText {
  /** Length and hash from the first non-blank character. */
  #length = 0;
  #hash = SEED;
  /** The same, up to the last non-blank character. */
  #solidLength = 0;
  #solidHash = SEED;

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  add(piece: string): void {
    let hash = this.#hash;
    let length = this.#length;
    for (let index = 0; index < piece.length; index++) {
      const code = piece.charCodeAt(index);
      const blank = isBlank(code);
      if (length === 0 && blank) continue;
      hash = Math.imul(hash ^ code, PRIME);
      length++;
      if (blank) continue;
      this.#solidHash = hash;
      this.#solidLength = length;
    }
    this.#hash = hash;
    this.#length = length;
  }

  /**
   * The part of the whole text that the pieces lack: empty if the two are the same, undefined if the
   * whole is a different text.
   */
  missingFrom(whole: string): string | undefined {
    const text = whole.trimStart();
    if (matches(text, this.#length, this.#hash)) return text.slice(this.#length);
    if (text.trimEnd().length > this.#solidLength) return undefined;
    return matches(text, this.#solidLength, this.#solidHash) ? "" : undefined;
  }
}

/** Whether the first `length` characters of the text have the expected hash. */
function matches(text: string, length: number, expected: number): boolean {
  if (text.length < length) return false;
  let hash = SEED;
  for (let index = 0; index < length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), PRIME);
  return hash === expected;
}

/** Whether `trim` removes the character. The first test decides for nearly every character. */
function isBlank(code: number): boolean {
  if (code > 0x20 && code < 0xa0) return false;
  return code === 0x20 || (code >= 0x09 && code <= 0x0d) || RARE_BLANKS.has(code);
}

const RARE_BLANKS: ReadonlySet<number> = new Set([
  0xa0, 0x1680, 0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008, 0x2009,
  0x200a, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff,
]);
