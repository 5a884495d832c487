/** A model server that plays a script, and how to make agents use it. */
export { smallestOf } from "./auxiliary.ts";
export { ModelServer, type ModelServerOptions } from "./server.ts";
export {
  brokenStream,
  finish,
  type FinishReason,
  hang,
  httpError,
  type ScriptPart,
  type ScriptEntry,
  type Step,
  text,
  thinking,
  toolCall,
  usage,
} from "./script-parts.ts";
export type {
  ModelRequest,
  ReceivedMessage,
  ReceivedTool,
  ReceivedToolResult,
  ScriptedCall,
} from "./request.ts";
export {
  type ModelRecipe,
  modelRecipeFor,
  type ModelSetup,
  type PlannedStep,
  type ScriptedTools,
} from "./recipes.ts";
