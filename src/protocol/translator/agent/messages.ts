import { BoundedMap } from "../../acp/index.ts";
import { isJsonObject, type JsonObject, stringField } from "../../../base/index.ts";

/** The kinds of messages. Each has ids of its own: an agent may use one id for a thought and its answer. */
export type MessageKind = "user_message" | "agent_message" | "agent_thought";

/** The part of a message that was passed on. */
interface ShownMessage {
  text: string;
  /** The length of the whole text. */
  length: number;
  others: number;
  /** How many times the message was replaced. */
  replaced: number;
}

const KEPT_MESSAGES = 64;
/** How much of a text is kept for comparison. A longer one is assumed to continue. */
const KEPT_CHARS = 256 * 1024;

/** The chunks that a whole message becomes. */
export interface MessageInV1 {
  readonly chunks: readonly JsonObject[];
  readonly isReplaced: boolean;
}

/** The messages of a session as far as v1 has seen them, in which messages only grow. */
export class ShownMessages {
  readonly #messages = new BoundedMap<ShownMessage>({
    count: KEPT_MESSAGES,
    chars: Number.POSITIVE_INFINITY,
    weigh: () => 0,
  });
  /** The message that grew last: most chunks belong to the one before them. */
  #lastKind: MessageKind | undefined;
  #lastId = "";
  #last: ShownMessage | undefined;

  /** Adds a chunk, which v1 has as well. Returns the id that the message has in v1. */
  append(kind: MessageKind, messageId: string, content: unknown): string {
    const message = this.#find(kind, messageId);
    if (isJsonObject(content) && typeof content["text"] === "string") {
      message.length += content["text"].length;
      if (message.text.length < KEPT_CHARS) message.text += content["text"];
    } else {
      message.others++;
    }
    return message.replaced === 0 ? messageId : nameInV1(messageId, message);
  }

  /** The chunks that bring v1 to the blocks of a whole message. */
  replace(kind: MessageKind, messageId: string, blocks: readonly JsonObject[]): MessageInV1 {
    const message = this.#find(kind, messageId);
    const text = blocks.map((block) => textOf(block) ?? "").join("");
    const others = blocks.filter((block) => textOf(block) === undefined).length;
    const isEmpty = message.length === 0 && message.others === 0;
    const grows =
      message.others === 0 &&
      others === 0 &&
      text.length >= message.length &&
      text.startsWith(message.text);
    const suffix = text.slice(message.length);
    const isReplaced = !isEmpty && !grows;
    if (isReplaced) message.replaced++;
    message.text = text.slice(0, KEPT_CHARS);
    message.length = text.length;
    message.others = others;
    this.#messages.set(key(kind, messageId), message);
    const id = nameInV1(messageId, message);
    const shown = !isEmpty && grows ? suffixBlocks(suffix) : blocks;
    return { chunks: shown.map((block) => chunk(kind, id, block)), isReplaced };
  }

  #find(kind: MessageKind, messageId: string): ShownMessage {
    if (this.#last && this.#lastKind === kind && this.#lastId === messageId) return this.#last;
    const wanted = key(kind, messageId);
    let message = this.#messages.get(wanted);
    if (!message) message = { text: "", length: 0, others: 0, replaced: 0 };
    this.#messages.set(wanted, message);
    this.#lastKind = kind;
    this.#lastId = messageId;
    this.#last = message;
    return message;
  }
}

function key(kind: MessageKind, messageId: string): string {
  return `${kind} ${messageId}`;
}

/** A message that was replaced is another one in v1, where messages only grow. */
function nameInV1(messageId: string, { replaced }: ShownMessage): string {
  return replaced === 0 ? messageId : `${messageId}~${replaced + 1}`;
}

function textOf(block: JsonObject): string | undefined {
  return block["type"] === "text" ? stringField(block, "text") : undefined;
}

function suffixBlocks(text: string): readonly JsonObject[] {
  return text === "" ? [] : [{ type: "text", text }];
}

function chunk(kind: MessageKind, messageId: string, content: unknown): JsonObject {
  return { sessionUpdate: `${kind}_chunk`, messageId, content };
}
