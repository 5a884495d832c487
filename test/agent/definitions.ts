/** Small agents for tests. */
import type { AgentDefinition, Turn, TurnEnd } from "../../src/entries/agent.ts";

export const info = { name: "test-agent", version: "1.0.0" };

/** Answers the prompts of an agent that does nothing else. */
export type Prompt = (turn: Turn<object>) => Promise<TurnEnd>;

/** An agent that only answers prompts. */
export function promptAgent(
  prompt: Prompt,
  more: Partial<AgentDefinition<object>> = {},
): AgentDefinition<object> {
  return { info, newSession: () => ({}), prompt, ...more };
}

/** An agent with every optional method of the stable protocol. */
export const everyMethod = promptAgent(async () => {}, {
  authMethods: [
    { id: "a", name: "A" },
    { type: "terminal", id: "t", name: "T" },
  ],
  authenticate: () => {},
  logout: () => {},
  loadSession: () => ({}),
  resumeSession: () => ({}),
  forkSession: () => ({}),
  listSessions: () => ({ sessions: [] }),
  closeSession: () => {},
  deleteSession: () => {},
});
