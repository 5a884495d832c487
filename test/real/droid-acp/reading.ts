/** Helpers to read responses and updates. */
import { rpcCodeOf } from "../../../src/transport/rpc/index.ts";
import type { RequestPermissionResponse } from "@agentclientprotocol/sdk";
import { AuthRequiredError } from "../../../src/entries/dragoman.ts";
import type { Answer, Driver } from "./driver.ts";
import { isJson, type Json } from "./judge.ts";

/** The text of a chunk, or an empty string for other content. */
export function chunkText({ content }: Json): string {
  return isJson(content) && typeof content["text"] === "string" ? content["text"] : "";
}

/** The error response to a call, as it was on the wire. */
export async function errorOf(
  call: Promise<unknown>,
): Promise<{ code: unknown; message: string; data: unknown }> {
  const outcome = await call.then(
    (result) => ({ result }),
    (error: unknown) => ({ error }),
  );
  if (!("error" in outcome)) throw new Error(`expected an error, got ${JSON.stringify(outcome)}`);
  // Our library throws its own error for a missing login, with the error from the agent as its cause.
  const { error: given } = outcome;
  const error: unknown = given instanceof AuthRequiredError ? given.cause : given;
  const code = rpcCodeOf(error);
  if (!(error instanceof Error) || code === undefined) throw error;
  return {
    code,
    message: error.message,
    data: "data" in error ? error.data : undefined,
  };
}

/** Answers permission requests with an option, by its kind or its id. Cancels if there is none. */
export function choose(...wanted: readonly string[]): Answer<RequestPermissionResponse> {
  let next = 0;
  return (params) => {
    const choice = wanted[Math.min(next++, wanted.length - 1)];
    const options = Array.isArray(params["options"]) ? params["options"].filter(isJson) : [];
    const found = options.find((one) => one["kind"] === choice || one["optionId"] === choice);
    if (!found) return { outcome: { outcome: "cancelled" } };
    return { outcome: { outcome: "selected", optionId: String(found["optionId"]) } };
  };
}

/**
 * The tool calls, each with all its updates merged. Throws if a call is not announced exactly once,
 * first.
 */
export function toolCalls(client: Driver, from = 0): Map<string, Json> {
  const calls = new Map<string, Json>();
  for (const update of client.updates.slice(from)) {
    const kind = update["sessionUpdate"];
    if (kind !== "tool_call" && kind !== "tool_call_update") continue;
    const id = String(update["toolCallId"]);
    if (kind === "tool_call" && calls.has(id)) throw new Error(`${id} was announced twice`);
    if (kind === "tool_call_update" && !calls.has(id)) throw new Error(`${id} was not announced`);
    calls.set(id, { ...calls.get(id), ...update });
  }
  return calls;
}

/** The content blocks of a tool call as short texts, as a person sees them. */
export function contentOf(call: Json | undefined): string[] {
  const content = Array.isArray(call?.["content"]) ? call["content"].filter(isJson) : [];
  return content.map((item) => {
    if (item["type"] === "diff")
      return `diff ${String(item["path"])}: ${JSON.stringify(item["oldText"] ?? null)} -> ${JSON.stringify(item["newText"])}`;
    if (item["type"] !== "content") return String(item["type"]);
    return isJson(item["content"]) ? String(item["content"]["text"]) : "";
  });
}
