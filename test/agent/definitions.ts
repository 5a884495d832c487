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

/** A promise with the functions that settle it. */
export function deferred<T = void>() {
  let resolve: (value: T) => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}
