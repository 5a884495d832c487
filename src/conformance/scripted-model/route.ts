import { anthropic } from "./dialects/anthropic.ts";
import type { Dialect } from "./dialects/dialect.ts";
import type { ModelApi } from "./request.ts";
import { gemini } from "./dialects/gemini.ts";
import { stringField, type JsonObject } from "../../base/index.ts";
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

/** The APIs whose requests have the model and the form of the answer in their body. */
const PATHS: readonly (readonly [end: string, dialect: ModelApi])[] = [
  ["/chat/completions", "openai-chat"],
  ["/responses", "openai-responses"],
  ["/messages", "anthropic"],
];

/** Finds the route by the end of the path, because agents use base URLs with and without `/v1`. */
export function routeOf(method: string, path: string, body: JsonObject): Route {
  const bare = path.replace(/\?.*$/, "");
  if (method === "GET" && bare.endsWith("/models"))
    return { kind: "fixed", body: { object: "list", data: [] } };
  if (method !== "POST") return { kind: "unknown" };
  const [, dialect] = PATHS.find(([end]) => bare.endsWith(end)) ?? [];
  if (dialect) {
    const model = stringField(body, "model") ?? "";
    return { kind: "model", dialect, model, stream: body["stream"] === true };
  }
  if (bare.endsWith("/messages/count_tokens"))
    return { kind: "fixed", body: { input_tokens: countedTokens } };
  const [, model = "", verb] = /\/models\/([^/:]+):(\w+)$/.exec(bare) ?? [];
  const stream = verb === "streamGenerateContent";
  if (stream || verb === "generateContent")
    return { kind: "model", dialect: "gemini", model, stream };
  if (verb === "countTokens") return { kind: "fixed", body: { totalTokens: countedTokens } };
  return { kind: "unknown" };
}
