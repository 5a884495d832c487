import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { execPath } from "node:process";
import { toolCall } from "../../../support/model/index.ts";
import { wholePlan, type AgentRecipe } from "../recipe.ts";

export const qwen: AgentRecipe = {
  name: "qwen",
  package: "@qwen-code/qwen-code",
  version: "0.15.10",
  info: { name: "qwen-code", version: "0.15.10" },
  bin: ".bin",
  executables: [],
  start: ({ modules, modelUrl }) => ({
    command: execPath,
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
      }),
    },
  }),
  heedsNoProxy: false,
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
    edit: { asked: ["tool call"], by: "client", diffPaths: ["absolute", "relative"] },
    shell: { asked: ["tool call"], by: "agent" },
    cancelMidStream: { stopReason: "cancelled" },
    cancelWhileAsked: { stopReason: "cancelled" },
    reject: { stopReason: "end_turn", modelGoesOn: true, toolCall: "pending" },
    load: { replays: ["user", "agent", "tool call"], inTime: true },
  },
  reasons: {
    edit: "gives the finished call's diff a path relative to the session's folder",
    shell: "never uses the client's terminals, although the client offers them",
    reject: "sends no further update for a denied tool call",
  },
  quirks: [
    "Two options of a permission request may have the same kind.",
    'Saves an "always" choice in `.qwen/settings.json` in the workspace, where it stays in effect.',
    "`session/set_mode` succeeds even for modes that it does not have.",
    "Loses the end of the conversation if it is ended right after a turn, because it answers the prompt before it has saved everything.",
    "Sends model requests through HTTP_PROXY even if NO_PROXY excludes the host.",
  ],
};
