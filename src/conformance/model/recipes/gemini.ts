import { readdir, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { toolCall } from "../script.ts";
import type { ModelRecipe } from "./recipe.ts";

export const gemini: ModelRecipe = {
  name: "gemini",
  setUp: ({ modelUrl }) => ({
    env: {
      GEMINI_API_KEY: "not-needed",
      GOOGLE_GEMINI_BASE_URL: modelUrl,
      GEMINI_CLI_TRUST_WORKSPACE: "true",
      // If gemini chose the model itself, it would first ask a model which one to use, and the chosen one
      // would have no todo tool.
      GEMINI_MODEL: "gemini-2.5-flash",
    },
    files: {
      ".gemini/settings.json": JSON.stringify({
        security: { auth: { selectedType: "gemini-api-key" } },
        privacy: { usageStatisticsEnabled: false },
        general: { disableAutoUpdate: true },
      }),
    },
  }),
  missingFile: "empty",
  // The file of a session is named after the minute in which it was started. Loading it within that
  // minute starts a new session in the same file, and the conversation is lost. So we rename the file
  // to another day.
  beforeLoad: async (home) => {
    const folder = join(home, ".gemini/tmp");
    for (const name of await readdir(folder, { recursive: true })) {
      if (!/[\\/]chats[\\/]session-[^\\/]+\.jsonl$/.test(name)) continue;
      const [, id = ""] = /-([0-9a-f]+\.jsonl)$/.exec(name) ?? [];
      await rename(
        join(folder, name),
        join(folder, dirname(name), `session-2001-01-01T00-00-${id}`),
      );
    }
  },
  tools: {
    plan: (todos) => [
      toolCall("write_todos", {
        todos: todos.map(({ content, status }) => ({ description: content, status })),
      }),
    ],
    read: (path) => toolCall("read_file", { file_path: path }),
    write: (path, content) => toolCall("write_file", { file_path: path, content }),
    edit: (path, before, after) =>
      toolCall("replace", {
        file_path: path,
        instruction: "Change the line",
        old_string: before,
        new_string: after,
      }),
    shell: (command) => toolCall("run_shell_command", { command }),
  },
};
