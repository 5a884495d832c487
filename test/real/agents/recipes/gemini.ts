import { readdir, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { execPath } from "node:process";
import { toolCall } from "../../../support/model/index.ts";
import type { AgentRecipe } from "../recipe.ts";

export const gemini: AgentRecipe = {
  name: "gemini",
  package: "@google/gemini-cli",
  version: "0.61.0",
  info: { name: "gemini-cli", version: "0.61.0" },
  bin: ".bin",
  executables: [],
  start: ({ modules, modelUrl }) => ({
    command: execPath,
    args: [join(modules, ".bin/gemini"), "--acp"],
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
  expected: {
    plan: { entries: [] },
    read: { by: "agent" },
    write: { asked: ["tool call"], by: "client" },
    edit: { asked: ["tool call"], by: "client", diffPaths: ["absolute"] },
    shell: { asked: ["tool call"], by: "agent" },
    cancelMidStream: { stopReason: "cancelled" },
    cancelWhileAsked: { stopReason: "cancelled" },
    reject: { stopReason: "end_turn", modelGoesOn: true, toolCall: "pending" },
    load: { replays: ["user", "agent", "tool call"], inTime: false },
  },
  reasons: {
    plan: "has a todo tool, but no code that sends a plan",
    read: "reads by itself, and uses `fs/*` only when it writes",
    shell: "never uses the client's terminals, although the client offers them",
    reject: "sends no further update for a denied tool call",
    load: "answers first and then replays the conversation",
  },
  quirks: [
    'Cannot create a file if the client serves `fs/read_text_file` and answers with an error for a missing file; `fs: { missingFile: "empty" }` helps.',
    "A prompt sent right after `loadSession` may receive part of the replay among its own updates; `loadSession({ replaySilence })` helps.",
    "Loading a session in the same minute in which it was started fails, and the conversation is lost.",
    "Asks for permission for tool calls that it has not reported.",
    "Reports errors of the model service as JSON-RPC errors with the HTTP status as the code.",
  ],
};
