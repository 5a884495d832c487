/** A model server that plays a script, and how to make agents use it. */
export { smallestOf } from "./auxiliary.ts";
export { ModelServer, type ModelServerOptions } from "./server.ts";
export {
  brokenStream,
  finish,
  hang,
  httpError,
  text,
  thinking,
  toolCall,
  usage,
  type FinishReason,
  type Part,
  type ScriptEntry,
  type Step,
} from "./script.ts";
export type {
  ModelRequest,
  ReceivedMessage,
  ReceivedTool,
  ReceivedToolResult,
  ScriptedCall,
} from "./request.ts";
export type { ModelRecipe, ModelSetup, PlannedStep, ScriptedTools } from "./recipes/recipe.ts";
export { modelRecipeFor } from "./recipes/recipes.ts";
