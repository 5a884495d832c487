export { ModelServer, type ModelServerOptions } from "./server.ts";
export {
  brokenStream,
  hang,
  httpError,
  text,
  thinking,
  toolCall,
  usage,
  type ScriptEntry,
  type Step,
} from "./script.ts";
export type { ModelCall } from "./request.ts";
