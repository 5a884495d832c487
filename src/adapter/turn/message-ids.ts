/**
 * Droid gives a message's thoughts and its text one id; ACP's are two messages, so the thoughts get
 * an id of their own, the same one each time.
 */
export function thoughtId(messageId: string): string {
  return `${messageId}-thoughts`;
}

/** The id of a message that starts anew after it was retracted: what was shown stays what it was. */
export function retryId(messageId: string, retries: number): string {
  return retries === 0 ? messageId : `${messageId}-${retries + 1}`;
}
