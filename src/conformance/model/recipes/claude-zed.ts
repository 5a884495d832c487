import { toolCall } from "../script.ts";
import { setUpClaude } from "./claude-code.ts";
import type { ModelRecipe } from "./recipe.ts";

export const claudeZed: ModelRecipe = {
  name: "claude-zed",
  setUp: setUpClaude,
  tools: {
    plan: (todos) => [
      toolCall("TodoWrite", {
        todos: todos.map(({ content, status }) => ({ content, status, activeForm: content })),
      }),
    ],
    read: (path) => toolCall("mcp__acp__Read", { file_path: path }),
    write: (path, content) => toolCall("mcp__acp__Write", { file_path: path, content }),
    edit: (path, before, after) =>
      toolCall("mcp__acp__Edit", { file_path: path, old_string: before, new_string: after }),
    shell: (command) => toolCall("mcp__acp__Bash", { command, timeout: 20_000 }),
  },
};
