import { toolCall } from "../../../support/model/index.ts";
import { wholePlan, type AgentRecipe } from "../recipe.ts";
import { startClaude } from "./claude-code.ts";

export const claude: AgentRecipe = {
  name: "claude",
  package: "@agentclientprotocol/claude-agent-acp",
  version: "0.49.0",
  info: { name: "@agentclientprotocol/claude-agent-acp", version: "0.49.0" },
  bin: ".bin",
  executables: [],
  start: (paths) => startClaude("claude-agent-acp", paths),
  heedsNoProxy: true,
  tools: {
    plan: (todos) => [
      todos.map(({ content }) =>
        toolCall("TaskCreate", { subject: content, description: content }),
      ),
      todos.flatMap(({ status }, index) =>
        status === "pending" ? [] : [toolCall("TaskUpdate", { taskId: String(index + 1), status })],
      ),
    ],
    read: (path) => toolCall("Read", { file_path: path }),
    write: (path, content) => toolCall("Write", { file_path: path, content }),
    edit: (path, before, after) =>
      toolCall("Edit", { file_path: path, old_string: before, new_string: after }),
    shell: (command) => toolCall("Bash", { command }),
  },
  expected: {
    plan: { entries: wholePlan },
    read: { by: "agent" },
    write: { asked: ["tool call"], by: "agent" },
    edit: { asked: ["tool call"], by: "agent", diffPaths: ["absolute"] },
    shell: { asked: ["tool call"], by: "agent" },
    cancelMidStream: { stopReason: "cancelled" },
    cancelWhileAsked: { stopReason: "cancelled" },
    reject: { stopReason: "end_turn", modelGoesOn: true, toolCall: "failed" },
    load: { replays: ["user", "agent", "tool call"], inTime: true },
  },
  reasons: {
    read: "never uses `fs/*`, although the client offers it",
    shell: "never uses the client's terminals, although the client offers them",
  },
  quirks: [
    "Sends `available_commands_update` before the answer to `session/new`.",
    "Sends some `tool_call_update`s with only `_meta`.",
    "Builds its plan from tasks (`TaskCreate`, `TaskUpdate`), which it adds one by one.",
  ],
};
