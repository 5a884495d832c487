/** Small agents for tests. */
import type { AgentDefinition, Turn, TurnEnd } from "../../src/entries/agent.ts";

export const info = { name: "test-agent", version: "1.0.0" };

/** An agent that only answers prompts. */
export function promptAgent(
  prompt: (turn: Turn<object>) => Promise<TurnEnd>,
  more: Partial<AgentDefinition<object>> = {},
): AgentDefinition<object> {
  return { info, newSession: () => ({}), prompt, ...more };
}
