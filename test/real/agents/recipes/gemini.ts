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
      // A model of its own choice would first be asked which model to take, and has no todo tool.
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
  heedsNoProxy: true,
  missingFile: "empty",
  // In the minute in which a session was begun, loading it starts it anew in the same file, which is named by the
  // minute: what was said is gone. So it is made a session of another day.
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
    plan: "has a todo tool, and no code that sends a plan",
    read: "reads by itself, and uses the client's files only around its writes",
    shell: "never uses the client's terminals, although they are offered",
    reject: "says nothing more of a tool call that was refused",
    load: "answers first and replays the conversation then",
  },
  quirks: [
    'Cannot create a file where the client reads files for it and answers a missing one with an error: `fs: { missingFile: "empty" }` helps.',
    "A prompt that follows `loadSession` at once may get some of the replay among its own updates: `loadSession({ replaySilence })` helps.",
    "Loading a session in the minute in which it was begun fails, and what was said in it is lost.",
    "Asks for permission for tool calls it has not announced.",
    "Errors of the model service come as JSON-RPC errors whose code is the HTTP status.",
  ],
};
