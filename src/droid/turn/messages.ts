import type { DroidEvent } from "./events.ts";
import type { DroidMessage } from "../protocol/protocol.ts";
import { RunningText } from "./running-text.ts";

/** Takes the events, in order. */
export type Emit = (event: DroidEvent) => void;

type Kind = "text" | "thinking";

/** What has been given of one message that is still being written. */
interface Open {
  readonly text: RunningText;
  readonly thinking: RunningText;
}

/**
 * Gives the text of assistant messages once, whether it comes as deltas, as a whole, or as both.
 *
 * Deltas are passed on as they come. The whole message then adds what the deltas lacked; where it
 * contradicts them, they are retracted first: a model call that broke off is streamed anew under
 * the same id, and 0.99 does not say so (0.225 does, with `assistant_message_retracted`).
 */
export class MessageTexts {
  readonly #emit: Emit;
  #open = new Map<string, Open>();
  #done = new Set<string>();
  /** Ids of the turn before: a late repetition must not be given again. */
  #doneBefore = new Set<string>();
  /** Deltas come in runs of one message: the last one looked up is nearly always the next one too. */
  #lastId: string | undefined;
  #last: Open | undefined;

  constructor(emit: Emit) {
    this.#emit = emit;
  }

  startTurn(): void {
    this.#doneBefore = this.#done;
    this.#done = new Set();
    this.#forgetOpen();
  }

  /** Passes a delta on; true if it is the first of its message. */
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

  /** Takes the whole message and gives what is missing. A message seen before changes nothing. */
  whole(message: DroidMessage): void {
    const { id } = message;
    if (this.#isDone(id)) return;
    const open = this.#open.get(id);
    this.#close(id);
    this.#done.add(id);
    if (!open) return this.#giveAll(message);
    const missing = open.text.missingFrom(textOf(message));
    if (missing === undefined) {
      this.#emit({ type: "retracted", messageId: id });
      this.#giveAll(message);
      return;
    }
    // Thinking may be shortened or signed when it is stored; only thinking never seen is given.
    if (open.thinking.isEmpty) this.#giveBlocks(message, "thinking");
    if (missing !== "")
      this.#emit({ type: "text", messageId: id, blockIndex: lastIndex(message), text: missing });
  }

  /** What was given of this message is void. */
  retract(messageId: string): void {
    this.#close(messageId);
    this.#done.delete(messageId);
    this.#emit({ type: "retracted", messageId });
  }

  #giveAll(message: DroidMessage): void {
    this.#giveBlocks(message, "thinking");
    this.#giveBlocks(message, "text");
  }

  #giveBlocks(message: DroidMessage, kind: Kind): void {
    for (const [blockIndex, block] of message.content.entries()) {
      if (block.type === kind && block.text !== "")
        this.#emit({ type: kind, messageId: message.id, blockIndex, text: block.text });
    }
  }

  #isDone(id: string): boolean {
    return this.#done.has(id) || this.#doneBefore.has(id);
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
