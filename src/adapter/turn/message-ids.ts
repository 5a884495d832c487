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
