import { join } from "node:path";
import { toolCall } from "../../../support/model/index.ts";
import type { AgentRecipe } from "../recipe.ts";

export const opencode: AgentRecipe = {
  name: "opencode",
  package: "opencode-ai",
  version: "1.18.33",
  info: { name: "OpenCode", version: "1.18.33" },
  bin: "opencode-linux-x64/bin",
  executables: ["opencode-linux-x64/bin/opencode"],
  start: ({ modules, modelUrl }) => ({
    // An install script sets up the package's own command. This is the file that it runs.
    command: join(modules, "opencode-linux-x64/bin/opencode"),
    args: ["acp"],
    env: {
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    },
    files: {
      ".config/opencode/opencode.json": JSON.stringify({
        autoupdate: false,
        share: "disabled",
        model: "mock/mock-model",
        small_model: "mock/mock-model",
        provider: {
          mock: {
            npm: "@ai-sdk/openai-compatible",
            name: "Mock",
            options: { baseURL: `${modelUrl}/v1`, apiKey: "not-needed" },
            models: { "mock-model": { name: "Mock Model" } },
          },
        },
        // By default, everything is allowed.
        permission: { edit: "ask", bash: "ask", webfetch: "ask" },
      }),
    },
  }),
  tools: {
    plan: (todos) => [
      toolCall("todowrite", { todos: todos.map((todo) => ({ ...todo, priority: "medium" })) }),
    ],
    read: (path) => toolCall("read", { filePath: path }),
    write: (path, content) => toolCall("write", { filePath: path, content }),
    edit: (path, before, after) =>
      toolCall("edit", { filePath: path, oldString: before, newString: after }),
    shell: (command) => toolCall("bash", { command, description: "Runs a command" }),
  },
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
