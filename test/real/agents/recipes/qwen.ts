import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { toolCall } from "../../../support/model/index.ts";
import { node24, wholePlan, type AgentRecipe } from "../recipe.ts";

export const qwen: AgentRecipe = {
  name: "qwen",
  package: "@qwen-code/qwen-code",
  version: "0.24.4",
  info: { name: "qwen-code", version: "0.24.4" },
  bin: ".bin",
  executables: [node24],
  start: ({ modules, modelUrl }) => ({
    command: join(modules, node24),
    args: [join(modules, ".bin/qwen"), "--acp"],
    env: {
      OPENAI_API_KEY: "not-needed",
      OPENAI_BASE_URL: `${modelUrl}/v1`,
      OPENAI_MODEL: "mock-model",
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
  expected: {
    plan: { entries: wholePlan },
    read: { by: "client" },
    write: { asked: ["tool call"], by: "client" },
    edit: { asked: ["tool call"], by: "client", diffPaths: ["absolute"] },
    shell: { asked: ["tool call"], by: "agent" },
    cancelMidStream: { stopReason: "cancelled" },
    cancelWhileAsked: { stopReason: "cancelled" },
    reject: { stopReason: "end_turn", modelGoesOn: false, toolCall: "failed" },
    load: { replays: ["user", "agent", "tool call"], inTime: true },
  },
  reasons: {
    shell: "never uses the client's terminals, although the client offers them",
  },
  quirks: [
    "Needs Node 22 or newer.",
    'By default, its own model decides about permissions, and it asks nothing; `tools.approvalMode: "default"` in its settings makes it ask.',
    "By default, it has no todo tool; `tools.todoWrite.enabled` in its settings turns it on.",
    "Two options of a permission request may have the same kind.",
    'Saves an "always" choice in `.qwen/settings.json` in the workspace, where it stays in effect.',
    "Sends the request `craft/drainMidTurnQueue`, whose name has no underscore, after each tool call; the answer -32601 is normal.",
    "Loses the end of the conversation if it is ended right after a turn, because it answers the prompt before it has saved everything.",
  ],
};
