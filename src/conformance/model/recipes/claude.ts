import { toolCall } from "../script.ts";
import { setUpClaude } from "./claude-code.ts";
import type { ModelRecipe } from "./recipe.ts";

export const claude: ModelRecipe = {
  name: "claude",
  setUp: setUpClaude,
  tools: {
    plan: (todos) => [
      toolCall("ToolSearch", { query: "select:TaskCreate,TaskUpdate" }),
      todos.map(({ content }) =>
        toolCall("TaskCreate", { subject: content, description: content }),
      ),
      todos.flatMap(({ status }, index) =>
        status === "pending" ? [] : [toolCall("TaskUpdate", { taskId: String(index + 1), status })],
      ),
    ],
    read: (path) => toolCall("Read", { file_path: path }),
    write: (path, content) => toolCall("Write", { file_path: path, content }),
    edit: (path, before, after) =>
      toolCall("Edit", { file_path: path, old_string: before, new_string: after }),
    shell: (command) => toolCall("Bash", { command }),
  },
};
