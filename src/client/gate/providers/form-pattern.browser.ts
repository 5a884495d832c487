/**
 * Accepts every text. The expression comes from the agent and might run forever, and nothing here can
 * stop it. The agent has to check the answer anyway.
 */
export function matchesFormPattern(_pattern: string, _value: string): boolean {
  return true;
}
