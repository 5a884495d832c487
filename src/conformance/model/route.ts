import { anthropic } from "./dialects/anthropic.ts";
import type { Dialect } from "./dialects/dialect.ts";
import type { ModelApi } from "./request.ts";
import { gemini } from "./dialects/gemini.ts";
import type { JsonObject } from "../../base/index.ts";
import { openaiChat } from "./dialects/openai-chat.ts";
import { openaiResponses } from "./dialects/openai-responses.ts";

export const dialects: Record<ModelApi, Dialect> = {
  "openai-chat": openaiChat,
  "openai-responses": openaiResponses,
  anthropic,
  gemini,
};

export type Route =
  | {
      readonly kind: "model";
      readonly dialect: ModelApi;
      readonly model: string;
      readonly stream: boolean;
    }
  /** Requests that need no model: token counts and model lists. They never use a step of the script. */
  | { readonly kind: "fixed"; readonly body: unknown }
  | { readonly kind: "unknown" };

const countedTokens = 1000;

/** Finds the route by the end of the path, because agents use base URLs with and without `/v1`. */
export function routeOf(method: string, path: string, body: JsonObject): Route {
  const bare = path.replace(/\?.*$/, "");
  const model = typeof body["model"] === "string" ? body["model"] : "";
  const stream = body["stream"] === true;
  if (method === "GET" && bare.endsWith("/models"))
    return { kind: "fixed", body: { object: "list", data: [] } };
  if (method !== "POST") return { kind: "unknown" };
  if (bare.endsWith("/chat/completions"))
    return { kind: "model", dialect: "openai-chat", model, stream };
  if (bare.endsWith("/responses"))
    return { kind: "model", dialect: "openai-responses", model, stream };
  if (bare.endsWith("/messages")) return { kind: "model", dialect: "anthropic", model, stream };
  if (bare.endsWith("/messages/count_tokens"))
    return { kind: "fixed", body: { input_tokens: countedTokens } };
  const google = /\/models\/([^/:]+):(\w+)$/.exec(bare);
  const [, name = "", verb] = google ?? [];
  if (verb === "generateContent")
    return { kind: "model", dialect: "gemini", model: name, stream: false };
  if (verb === "streamGenerateContent")
    return { kind: "model", dialect: "gemini", model: name, stream: true };
  if (verb === "countTokens") return { kind: "fixed", body: { totalTokens: countedTokens } };
  return { kind: "unknown" };
}
