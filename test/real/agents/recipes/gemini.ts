import { join } from "node:path";
import { execPath } from "node:process";
import { gemini as geminiModel } from "../../../../src/conformance/model/recipes/gemini.ts";
import type { AgentRecipe } from "../recipe.ts";

export const gemini: AgentRecipe = {
  ...geminiModel,
  name: "gemini",
  package: "@google/gemini-cli",
  version: "0.61.0",
  info: { name: "gemini-cli", version: "0.61.0" },
  bin: ".bin",
  executables: [],
  start: (modules) => ({ command: execPath, args: [join(modules, ".bin/gemini"), "--acp"] }),
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
