import { toolCall } from "../../../support/model/index.ts";
import { wholePlan, type AgentRecipe } from "../recipe.ts";
import { startClaude } from "./claude-code.ts";

export const claudeZed: AgentRecipe = {
  name: "claude-zed",
  package: "@zed-industries/claude-code-acp",
  version: "0.16.2",
  info: { name: "@zed-industries/claude-code-acp", version: "0.16.2" },
  bin: ".bin",
  executables: [],
  start: (paths) => startClaude("claude-code-acp", paths),
  tools: {
    plan: (todos) => [
      toolCall("TodoWrite", {
        todos: todos.map(({ content, status }) => ({ content, status, activeForm: content })),
      }),
    ],
    read: (path) => toolCall("mcp__acp__Read", { file_path: path }),
    write: (path, content) => toolCall("mcp__acp__Write", { file_path: path, content }),
    edit: (path, before, after) =>
      toolCall("mcp__acp__Edit", { file_path: path, old_string: before, new_string: after }),
    shell: (command) => toolCall("mcp__acp__Bash", { command, timeout: 20_000 }),
  },
  expected: {
    plan: { entries: wholePlan },
    read: { by: "client" },
    write: { asked: ["tool call"], by: "client" },
    edit: { asked: ["tool call"], by: "client", diffPaths: ["absolute"] },
    shell: { asked: ["tool call"], by: "client" },
    cancelMidStream: { stopReason: "cancelled" },
    cancelWhileAsked: { stopReason: "cancelled" },
    reject: { stopReason: "end_turn", modelGoesOn: false, toolCall: "failed" },
    load: { replays: ["user", "agent", "tool call"], inTime: true },
  },
  reasons: {},
  quirks: [
    "Does not exit when its stdin ends, so it always has to be ended with SIGTERM.",
    "Sends `tool_call` twice for one id.",
    "Sends `terminal/create` with a whole command line as `command`, without `args` and `cwd`.",
    "As root, it opens a session only with `IS_SANDBOX=1`.",
  ],
};
