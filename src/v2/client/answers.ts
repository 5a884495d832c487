import { ERROR_CODES } from "../../acp/index.ts";
import { type JsonObject, objectField } from "../../wire/index.ts";
import { errorFrame } from "../frames.ts";

/** The idle state for the v1 answer of a prompt. */
export function ending(frame: JsonObject): JsonObject {
  const error = objectField(frame, "error");
  if (error) return { stopReason: "error", error };
  const { stopReason, usage, _meta } = objectField(frame, "result") ?? {};
  return {
    ...(typeof stopReason === "string" ? { stopReason } : {}),
    ...(usage === undefined || usage === null ? {} : { usage }),
    ...(_meta === undefined || _meta === null ? {} : { _meta }),
  };
}

/** The answer to a prompt whose turn never started: v2 has an error for each of those. */
export function notStarted(frame: JsonObject): JsonObject {
  if (frame["error"] !== undefined) return frame;
  return errorFrame(frame["id"], ERROR_CODES.requestCancelled, "The prompt was cancelled");
}

/** v1 allows null as an empty result, v2 does not. */
export function withObject(frame: JsonObject): JsonObject {
  return frame["result"] === null ? { ...frame, result: {} } : frame;
}

/** The answer to a prompt that was withdrawn before its turn started. */
export function withdrawn(id: unknown): JsonObject {
  return errorFrame(id, ERROR_CODES.requestCancelled, "The prompt was withdrawn");
}

export function cancelRequest(requestId: unknown): JsonObject {
  return { jsonrpc: "2.0", method: "$/cancel_request", params: { requestId } };
}
