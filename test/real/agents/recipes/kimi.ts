import { join } from "node:path";
import { toolCall } from "../../../support/model/index.ts";
import { node24, wholePlan, type AgentRecipe, type Todo } from "../recipe.ts";

const statuses: Record<Todo["status"], string> = {
  pending: "pending",
  in_progress: "in_progress",
  completed: "done",
};

export const kimi: AgentRecipe = {
  name: "kimi",
  package: "@moonshot-ai/kimi-code",
  version: "2.1.0",
  info: { name: "Kimi Code CLI", version: "2.1.0" },
  bin: ".bin",
  executables: [node24],
  start: ({ modules, home, modelUrl }) => ({
    // It needs Node 22.19 and fails at its first import on Node 20.
    command: join(modules, node24),
    args: [join(modules, ".bin/kimi"), "acp"],
    env: { KIMI_CODE_HOME: join(home, ".kimi-code"), KIMI_CODE_NO_AUTO_UPDATE: "1" },
    files: {
      ".kimi-code/config.toml": [
        'default_model = "mock"',
        "telemetry = false",
        "[providers.mock]",
        'type = "openai"',
        `base_url = "${modelUrl}/v1"`,
        'api_key = "not-needed"',
        "[models.mock]",
        'provider = "mock"',
        'model = "mock-model"',
        "max_context_size = 131072",
        "",
      ].join("\n"),
    },
  }),
  tools: {
    plan: (todos) => [
      toolCall("TodoList", {
        todos: todos.map(({ content, status }) => ({ title: content, status: statuses[status] })),
      }),
    ],
    read: (path) => toolCall("Read", { path }),
    write: (path, content) => toolCall("Write", { path, content }),
    edit: (path, before, after) =>
      toolCall("Edit", { path, old_string: before, new_string: after }),
    shell: (command) => toolCall("Bash", { command }),
  },
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
