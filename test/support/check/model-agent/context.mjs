import { AsyncLocalStorage } from "node:async_hooks";

const storage = new AsyncLocalStorage();

/** The state of the agent that this code runs for. A process may have several agents. */
export const agent = () => storage.getStore();

/** Whether the agent has the defect. */
export const defect = (name) => agent().defect === name;

/** Whether the agent keeps a rule in another way than usual. */
export const variant = (name) => agent().variant === name;

/** Runs code for an agent, and everything that it starts. */
export const runFor = (state, work) => storage.run(state, work);
