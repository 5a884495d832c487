import { join } from "node:path";
import type { ModelSetup, RecipePaths } from "./recipe.ts";

/** Both adapters for Claude Code read their settings from the environment. */
export function setUpClaude({ home, modelUrl }: RecipePaths): ModelSetup {
  return {
    env: {
      ANTHROPIC_API_KEY: "not-needed",
      ANTHROPIC_BASE_URL: modelUrl,
      CLAUDE_CONFIG_DIR: join(home, ".claude"),
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
      // Without it, newer versions offer the model no tools for tasks.
      CLAUDE_CODE_ENABLE_TODO_TOOLS: "1",
      // It would ask the model after a turn what the user might type next.
      CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION: "false",
      // Needed to open a session as root, which many containers run as.
      IS_SANDBOX: "1",
    },
  };
}
