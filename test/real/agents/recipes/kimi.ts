import { join } from "node:path";
import { kimi as kimiModel } from "../../../../src/conformance/model/recipes/kimi.ts";
import { node24, wholePlan, type AgentRecipe } from "../recipe.ts";

export const kimi: AgentRecipe = {
  ...kimiModel,
  name: "kimi",
  package: "@moonshot-ai/kimi-code",
  version: "2.1.0",
  info: { name: "Kimi Code CLI", version: "2.1.0" },
  bin: ".bin",
  executables: [node24],
  // It needs Node 22.19 and fails at its first import on Node 20.
  start: (modules) => ({
    command: join(modules, node24),
    args: [join(modules, ".bin/kimi"), "acp"],
  }),
  expected: {
    plan: { entries: wholePlan },
    read: { by: "client" },
    write: { asked: ["tool call", "write"], by: "client" },
    edit: { asked: ["tool call"], by: "client", diffPaths: ["absolute"] },
    shell: { asked: ["tool call", "command"], by: "client" },
    cancelMidStream: { stopReason: "cancelled" },
    cancelWhileAsked: { stopReason: "cancelled" },
    reject: { stopReason: "end_turn", modelGoesOn: true, toolCall: "failed" },
    load: { replays: ["user", "agent", "tool call"], inTime: true },
  },
  reasons: {
    write: "asks without naming the file, so the client asks about the write as well",
    shell: "asks without naming the command, so the client asks about the command as well",
  },
  quirks: [
    "Needs Node 22.19 or newer.",
    "Looks for AGENTS.md in several folders through `fs/read_text_file` after each tool call, so answers with -32002 are normal.",
    "Runs a command as `bash -c` with a `cd` in front of it.",
    "Streams the arguments of a tool call as its text content, which each update replaces.",
    "Sends `usage_update` after the answer to the prompt.",
    "If the model service fails, the turn ends with `end_turn` and no message.",
  ],
};
