/**
 * The ids of a session's tool calls. Some models count their calls from one in every turn; the client
 * knows one call per id, so a later one of the same id gets a number of its own.
 */
export class ToolIds {
  readonly #uses = new Map<string, number>();

  /** The id for a call that has this one in Droid. */
  next(id: string): string {
    const uses = (this.#uses.get(id) ?? 0) + 1;
    this.#uses.set(id, uses);
    return uses === 1 ? id : `${id}-${uses}`;
  }
}
