import { join } from "node:path";
import { opencode as opencodeModel } from "../../../../src/conformance/model/recipes/opencode.ts";
import type { AgentRecipe } from "../recipe.ts";

export const opencode: AgentRecipe = {
  ...opencodeModel,
  name: "opencode",
  package: "opencode-ai",
  version: "1.18.33",
  info: { name: "OpenCode", version: "1.18.33" },
  bin: "opencode-linux-x64/bin",
  executables: ["opencode-linux-x64/bin/opencode"],
  // An install script sets up the package's own command. This is the file that it runs.
  start: (modules) => ({
    command: join(modules, "opencode-linux-x64/bin/opencode"),
    args: ["acp"],
  }),
  expected: {
    plan: { entries: [] },
    read: { by: "agent" },
    write: { asked: ["tool call"], by: "client" },
    edit: { asked: ["tool call"], by: "client", diffPaths: ["absolute"] },
    shell: { asked: ["tool call"], by: "agent" },
    cancelMidStream: { stopReason: "cancelled" },
    cancelWhileAsked: { stopReason: "cancelled" },
    reject: { stopReason: "end_turn", modelGoesOn: false, toolCall: "failed" },
    load: { replays: ["user", "agent", "tool call"], inTime: true },
  },
  reasons: {
    plan: "has a todo tool, but reports its use only as a tool call",
    read: "reads by itself and writes through the client",
    shell: "never uses the client's terminals, although the client offers them",
  },
  quirks: [
    "Never asks for permission unless its `permission` settings say `ask`.",
    "Reports a failed command as a `completed` tool call, with the exit code in `rawOutput.metadata.exit`.",
    "The title of a permission request differs from that of its tool call.",
  ],
};
