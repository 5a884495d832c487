import { join } from "node:path";
import { qwen as qwenModel } from "../../../../src/conformance/model/recipes/qwen.ts";
import { node24, wholePlan, type AgentRecipe } from "../recipe.ts";

export const qwen: AgentRecipe = {
  ...qwenModel,
  name: "qwen",
  package: "@qwen-code/qwen-code",
  version: "0.24.4",
  info: { name: "qwen-code", version: "0.24.4" },
  bin: ".bin",
  executables: [node24],
  start: (modules) => ({
    command: join(modules, node24),
    args: [join(modules, ".bin/qwen"), "--acp"],
  }),
  expected: {
    plan: { entries: wholePlan },
    read: { by: "client" },
    write: { asked: ["tool call"], by: "client" },
    edit: { asked: ["tool call"], by: "client", diffPaths: ["absolute"] },
    shell: { asked: ["tool call"], by: "agent" },
    cancelMidStream: { stopReason: "cancelled" },
    cancelWhileAsked: { stopReason: "cancelled" },
    reject: { stopReason: "end_turn", modelGoesOn: false, toolCall: "failed" },
    load: { replays: ["user", "agent", "tool call"], inTime: true },
  },
  reasons: {
    shell: "never uses the client's terminals, although the client offers them",
  },
  quirks: [
    "Needs Node 22 or newer.",
    'By default, its own model decides about permissions, and it asks nothing; `tools.approvalMode: "default"` in its settings makes it ask.',
    "By default, it has no todo tool; `tools.todoWrite.enabled` in its settings turns it on.",
    "Two options of a permission request may have the same kind.",
    'Saves an "always" choice in `.qwen/settings.json` in the workspace, where it stays in effect.',
    "Sends the request `craft/drainMidTurnQueue`, whose name has no underscore, after each tool call; the answer -32601 is normal.",
    "Loses the end of the conversation if it is ended right after a turn, because it answers the prompt before it has saved everything.",
  ],
};
