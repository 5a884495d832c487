import { toolCall } from "../script.ts";
import type { ModelRecipe } from "./recipe.ts";

const MODEL = "mock-1";

/** Droid behind droid-acp. Its own services are sent to the scripted model, which has none of them. */
export const droid: ModelRecipe = {
  name: "droid",
  setUp: ({ modelUrl }) => ({
    args: ["--model", `custom:${MODEL}`],
    env: {
      FACTORY_API_BASE_URL: modelUrl,
      FACTORY_APP_BASE_URL_OVERRIDE: modelUrl,
      FACTORY_TELEMETRY_INGEST_URL: modelUrl,
      FACTORY_PUBLIC_DOWNLOADS_BASE_URL: modelUrl,
      FACTORY_ORG_MANAGED_SETTINGS_URL: modelUrl,
    },
    files: {
      ".factory/settings.json": JSON.stringify({
        customModels: [
          {
            model: MODEL,
            displayName: "Mock",
            baseUrl: `${modelUrl}/v1`,
            apiKey: "not-needed",
            provider: "generic-chat-completion-api",
            maxOutputTokens: 4096,
            noImageSupport: false,
          },
        ],
      }),
    },
  }),
  tools: {
    plan: (entries) => [
      toolCall("TodoWrite", {
        todos: entries
          .map(({ content, status }, index) => `${index + 1}. [${status}] ${content}`)
          .join("\n"),
      }),
    ],
    read: (path) => toolCall("Read", { file_path: path }),
    write: (path, content) => toolCall("Create", { file_path: path, content }),
    edit: (path, before, after) =>
      toolCall("Edit", { file_path: path, old_str: before, new_str: after }),
    shell: (command) =>
      toolCall("Execute", {
        summary: "Runs a command",
        command,
        timeout: 60,
        riskLevel: "low",
        riskLevelReason: "x",
      }),
    ask: () =>
      toolCall("AskUser", {
        questionnaire: "1. [question] Which colour?\n[topic] Colour\n[option] Red\n[option] Blue",
      }),
  },
};
