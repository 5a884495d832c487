/**
 * The id for the thoughts of a message. In Droid, thoughts and text share one id; in ACP they are two
 * messages.
 */
export function thoughtId(messageId: string): string {
  return `${messageId}-thoughts`;
}

/** The id of a message that starts over after a retraction: it must not extend the old one. */
export function retryId(messageId: string, retries: number): string {
  return retries === 0 ? messageId : `${messageId}-${retries + 1}`;
}

/**
 * The ids of a session's tool calls. Some models number their calls from one in every turn. For the
 * client, an id names one call, so a later call with the same id gets a suffix.
 */
export class ToolIds {
  readonly #uses = new Map<string, number>();

  /** The client's id for a new call with this id in Droid. */
  next(id: string): string {
    const uses = (this.#uses.get(id) ?? 0) + 1;
    this.#uses.set(id, uses);
    return uses === 1 ? id : `${id}-${uses}`;
  }
}
