import { join } from "node:path";
import { toolCall } from "../script.ts";
import type { ModelRecipe, PlannedStep } from "./recipe.ts";

const statuses: Record<PlannedStep["status"], string> = {
  pending: "pending",
  in_progress: "in_progress",
  completed: "done",
};

export const kimi: ModelRecipe = {
  name: "kimi",
  setUp: ({ home, modelUrl }) => ({
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
};
