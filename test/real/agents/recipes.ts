import type { AgentRecipe } from "./recipe.ts";
import { claude } from "./recipes/claude.ts";
import { claudeZed } from "./recipes/claude-zed.ts";
import { gemini } from "./recipes/gemini.ts";
import { kimi } from "./recipes/kimi.ts";
import { opencode } from "./recipes/opencode.ts";
import { qwen } from "./recipes/qwen.ts";

export const recipes: readonly AgentRecipe[] = [kimi, claudeZed, opencode, gemini, qwen, claude];
