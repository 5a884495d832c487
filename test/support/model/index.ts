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
  type HangPart,
  type ScriptEntry,
  type Step,
} from "./script.ts";
export type { CallEnd, ModelCall, ModelRequest } from "./request.ts";
