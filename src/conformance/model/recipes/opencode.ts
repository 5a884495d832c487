import { toolCall } from "../script.ts";
import type { ModelRecipe } from "./recipe.ts";

export const opencode: ModelRecipe = {
  name: "opencode",
  setUp: ({ modelUrl }) => ({
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
            // By default, a model gets no images.
            models: {
              "mock-model": {
                name: "Mock Model",
                attachment: true,
                modalities: { input: ["text", "image"], output: ["text"] },
              },
            },
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
};
