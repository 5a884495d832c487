/**
 * All commands, in one module: what they share is then one file of the bundle, and one file is read
 * faster than ten. What only some of them need is imported inside them.
 */
export { agentsCommand } from "./agents.ts";
export { chatCommand } from "./chat.ts";
export { completionCommand } from "./completion.ts";
export { doctorCommand } from "./doctor.ts";
export { promptCommand } from "./prompt.ts";
export { replayCommand } from "./replay.ts";
export { sessionsCommand } from "./sessions.ts";
