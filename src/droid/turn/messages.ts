import type { DroidEvent } from "./events.ts";
import type { DroidMessage } from "../protocol/protocol.ts";
import { RunningText } from "./running-text.ts";

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
  /**
   * Deltas come in runs of one message, so the last message looked up is nearly always the next one
   * too.
   */
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
