import { claude } from "./claude.ts";
import { claudeZed } from "./claude-zed.ts";
import { droid } from "./droid.ts";
import { gemini } from "./gemini.ts";
import { kimi } from "./kimi.ts";
import { opencode } from "./opencode.ts";
import { qwen } from "./qwen.ts";
import type { ModelRecipe } from "./recipe.ts";

const RECIPES: readonly ModelRecipe[] = [droid, claude, claudeZed, gemini, opencode, qwen, kimi];

/** The recipe for an agent of the catalogue, or undefined. */
export function modelRecipeFor(name: string): ModelRecipe | undefined {
  return RECIPES.find((recipe) => recipe.name === name);
}
