import { join } from "node:path";
import { execPath } from "node:process";
import { claudeZed as claudeZedModel } from "../../../../src/conformance/model/recipes/claude-zed.ts";
import { wholePlan, type AgentRecipe } from "../recipe.ts";

export const claudeZed: AgentRecipe = {
  ...claudeZedModel,
  name: "claude-zed",
  package: "@zed-industries/claude-code-acp",
  version: "0.16.2",
  info: { name: "@zed-industries/claude-code-acp", version: "0.16.2" },
  bin: ".bin",
  executables: [],
  start: (modules) => ({ command: execPath, args: [join(modules, ".bin/claude-code-acp")] }),
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
