import { join } from "node:path";
import { claude as claudeModel } from "../../../../src/conformance/model/recipes/claude.ts";
import { node24, wholePlan, type AgentRecipe } from "../recipe.ts";

export const claude: AgentRecipe = {
  ...claudeModel,
  name: "claude",
  package: "@agentclientprotocol/claude-agent-acp",
  version: "0.99.1",
  info: { name: "@agentclientprotocol/claude-agent-acp", version: "0.99.1" },
  bin: ".bin",
  executables: [node24],
  start: (modules) => ({
    command: join(modules, node24),
    args: [join(modules, ".bin/claude-agent-acp")],
  }),
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
    "Needs Node 22 or newer.",
    "By default, its model has no tools for tasks, and so it shows no plan; `CLAUDE_CODE_ENABLE_TODO_TOOLS=1` turns them on.",
    "Reports its sign-in with `_auth/status_update` before the answer to `session/new`.",
    "Sends some `tool_call_update`s with only `_meta`.",
    "Builds its plan from tasks (`TaskCreate`, `TaskUpdate`), which it adds one by one.",
  ],
};
