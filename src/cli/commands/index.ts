/**
 * All commands in one module, so that their shared code becomes one file of the bundle: one file loads
 * faster than ten. Code that only some commands need is imported inside them.
 */
export { agentsCommand } from "./agents.ts";
export { attachCommand } from "./attach.ts";
export { chatCommand } from "./chat.ts";
export { compareCommand } from "./compare.ts";
export { completionCommand } from "./completion.ts";
export { doctorCommand } from "./doctor.ts";
export { hubCommand } from "./hub.ts";
export { promptCommand } from "./prompt.ts";
export { proxyCommand } from "./proxy.ts";
export { replayCommand } from "./replay.ts";
export { serveCommand } from "./serve.ts";
export { sessionsCommand } from "./sessions.ts";
