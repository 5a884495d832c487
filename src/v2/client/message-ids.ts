import { type JsonObject, randomId, stringField } from "../../wire/index.ts";

/**
 * Gives chunks of a v1 agent the message ids that v2 requires. Chunks of one kind in a row are one
 * message; a chunk of another kind or a tool call in between starts a new one.
 */
export class MessageIds {
  #kind: string | undefined;
  #id = "";

  /** The id for a chunk, and whether it was made up. */
  idFor(kind: string, update: JsonObject): { readonly id: string; readonly isMinted: boolean } {
    const given = stringField(update, "messageId");
    if (given !== undefined) {
      this.#kind = undefined;
      return { id: given, isMinted: false };
    }
    if (this.#kind !== kind) {
      this.#kind = kind;
      this.#id = randomId();
    }
    return { id: this.#id, isMinted: true };
  }

  /** Ends the message that chunks without an id belong to. */
  interrupt(): void {
    this.#kind = undefined;
  }
}
