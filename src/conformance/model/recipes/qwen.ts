import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { toolCall } from "../script.ts";
import type { ModelRecipe } from "./recipe.ts";

export const qwen: ModelRecipe = {
  name: "qwen",
  setUp: ({ modelUrl }) => ({
    env: {
      OPENAI_API_KEY: "not-needed",
      OPENAI_BASE_URL: `${modelUrl}/v1`,
      // It sends images only to models whose names it knows.
      OPENAI_MODEL: "gpt-mock",
    },
    files: {
      ".qwen/settings.json": JSON.stringify({
        security: { auth: { selectedType: "openai" } },
        privacy: { usageStatisticsEnabled: false },
        general: { disableAutoUpdate: true },
        // By default, a model decides about permissions, and there is no todo tool.
        tools: { approvalMode: "default", todoWrite: { enabled: true } },
        // Both call the model after a turn.
        memory: { enableManagedAutoMemory: false, enableManagedAutoDream: false },
        ui: { enableFollowupSuggestions: false },
      }),
    },
  }),
  hasSaved: async (home, text) => {
    const folder = join(home, ".qwen/projects");
    for (const name of await readdir(folder, { recursive: true })) {
      if (!name.endsWith(".jsonl")) continue;
      const records = (await readFile(join(folder, name), "utf8")).split("\n");
      // Telemetry with the same text is written earlier.
      if (records.some((line) => line.includes('"type":"assistant"') && line.includes(text)))
        return true;
    }
    return false;
  },
  tools: {
    plan: (todos) => [
      toolCall("todo_write", { todos: todos.map((todo, index) => ({ ...todo, id: `${index}` })) }),
    ],
    read: (path) => toolCall("read_file", { file_path: path }),
    write: (path, content) => toolCall("write_file", { file_path: path, content }),
    edit: (path, before, after) =>
      toolCall("edit", { file_path: path, old_string: before, new_string: after }),
    shell: (command) => toolCall("run_shell_command", { command, is_background: false }),
  },
};
