import type { JsonObject } from "../../../base/index.ts";
import type { Rewriter } from "../../../transport/rpc/index.ts";
import { isObject } from "../parse/guards.ts";
import { ERROR_CODES } from "../methods.ts";
import type { Rewritten } from "./chain.ts";
import type { CrowOptions } from "./crow-options.ts";
import {
  readCapabilities,
  readContent,
  readKeys,
  rename,
  without,
  WRITE_INITIALIZE,
  WRITE_STOP_REASON,
  writeAgentCapabilities,
} from "./crow-keys.ts";
import { optionIds, writePermissionRequest } from "./crow-permissions.ts";
import { writeUpdate } from "./crow-updates.ts";

/**
 * A rewriter cannot send messages itself. To answer a request with `{}`, it delivers the request under
 * this name, which no handler knows, and replaces the peer's response with `{}`.
 */
export const ACKNOWLEDGED_METHOD = "_crow/acknowledge";

const CROW_STOP_REASONS = new Set<unknown>(["end_turn", "cancelled", "error"]);

interface PendingPermission {
  readonly id: unknown;
  readonly sessionId: unknown;
  readonly toolCallId: unknown;
  readonly optionIds: readonly unknown[];
}

/** The agent's end of a crow connection. Its handlers are canonical and the client speaks crow. */
export class CrowAgent implements Rewriter {
  readonly #permissionMethod: string;
  /** Methods of received requests that are not answered yet. */
  readonly #calls = new Map<unknown, string>();
  /** Received requests that get the response `{}`, regardless of the handlers' result. */
  readonly #acknowledged = new Set<unknown>();
  /** Permission requests that are not answered yet, oldest first. */
  #pending: readonly PendingPermission[] = [];

  constructor(options: CrowOptions) {
    this.#permissionMethod = options.permissionMethod ?? "permission_response";
  }

  read(message: JsonObject): Rewritten {
    const method = message["method"];
    const given = message["params"];
    if (typeof method !== "string" || method.startsWith("_")) return message;
    const id = message["id"];
    const params = isObject(given) ? readKeys(given) : given;
    if (method === "cancel" || method === "session/cancel") return this.#readCancel(id, params);
    if (method === this.#permissionMethod) return this.#readPermissionAnswer(id, params);
    if (method === "initialize" || method === "session/prompt") this.#calls.set(id, method);
    return isObject(params) ? { ...message, params: readParams(method, params) } : message;
  }

  /**
   * A crow client that cancels leaves pending permission requests unanswered. Canonical ACP requires
   * an answer, so the rewriter adds one for each.
   */
  #readCancel(id: unknown, params: unknown): readonly JsonObject[] {
    const sessionId = isObject(params) ? params["sessionId"] : undefined;
    const cancelled = this.#pending.filter((pending) => pending.sessionId === sessionId);
    this.#pending = this.#pending.filter((pending) => !cancelled.includes(pending));
    return [
      { jsonrpc: "2.0", method: "session/cancel", params },
      ...cancelled.map((pending) => answer(pending, undefined)),
      ...this.#acknowledge(id),
    ];
  }

  #readPermissionAnswer(id: unknown, params: unknown): readonly JsonObject[] {
    const given = isObject(params) ? params : {};
    const answered = this.#pending.find(
      (pending) =>
        pending.toolCallId === given["toolCallId"] &&
        (given["sessionId"] === undefined || pending.sessionId === given["sessionId"]),
    );
    if (answered === undefined) return this.#acknowledge(id);
    this.#pending = this.#pending.filter((pending) => pending !== answered);
    const optionId = given["option_id"] ?? given["optionId"];
    return [answer(answered, optionId), ...this.#acknowledge(id)];
  }

  #acknowledge(id: unknown): readonly JsonObject[] {
    if (id === undefined) return [];
    this.#acknowledged.add(id);
    return [{ jsonrpc: "2.0", id, method: ACKNOWLEDGED_METHOD, params: {} }];
  }

  write(message: JsonObject): Rewritten {
    const method = message["method"];
    if (typeof method !== "string") return this.#writeAnswer(message);
    const params = isObject(message["params"]) ? message["params"] : {};
    switch (method) {
      case "session/update": {
        const update = params["update"];
        const written = isObject(update) ? writeUpdate(update) : undefined;
        return written && { ...message, params: { ...params, update: written } };
      }
      case "session/request_permission":
        return this.#requestPermission(message["id"], params);
      case "$/cancel_request":
        this.#pending = this.#pending.filter(({ id }) => id !== params["requestId"]);
        return undefined;
      default:
        return message;
    }
  }

  #requestPermission(id: unknown, params: JsonObject): readonly JsonObject[] {
    const { sessionId, toolCall } = params;
    const toolCallId = isObject(toolCall) ? toolCall["toolCallId"] : undefined;
    const request = { id, sessionId, toolCallId, optionIds: optionIds(params) };
    this.#pending = [...this.#pending, request];
    return writePermissionRequest(params).map((update) => ({
      jsonrpc: "2.0",
      method: "session/update",
      params: { sessionId, update },
    }));
  }

  #writeAnswer(message: JsonObject): JsonObject {
    const id = message["id"];
    if (this.#acknowledged.delete(id)) return { jsonrpc: "2.0", id, result: {} };
    const method = this.#calls.get(id);
    this.#calls.delete(id);
    const { result, error } = message;
    if (method === "initialize" && isObject(result)) {
      return { ...message, result: writeInitialize(result) };
    }
    if (method !== "session/prompt") return message;
    if (isObject(error) && error["code"] === ERROR_CODES.internalError) {
      return { ...without(message, "error"), result: { stop_reason: "error" } };
    }
    return isObject(result) ? { ...message, result: writePromptResult(result) } : message;
  }
}

function readParams(method: string, params: JsonObject): JsonObject {
  switch (method) {
    case "initialize": {
      const capabilities = params["clientCapabilities"];
      if (capabilities === undefined) return params;
      return { ...params, clientCapabilities: readCapabilities(capabilities) };
    }
    case "session/prompt": {
      const prompt = params["prompt"];
      return Array.isArray(prompt) ? { ...params, prompt: prompt.map(readContent) } : params;
    }
    case "session/load":
      return params["mcpServers"] === undefined ? { ...params, mcpServers: [] } : params;
    default:
      return params;
  }
}

function writeInitialize(result: JsonObject): JsonObject {
  const capabilities = result["agentCapabilities"] ?? {};
  const written = { ...result, agentCapabilities: writeAgentCapabilities(capabilities) };
  return rename(written, WRITE_INITIALIZE);
}

function writePromptResult(result: JsonObject): JsonObject {
  const known = CROW_STOP_REASONS.has(result["stopReason"]);
  return rename(known ? result : { ...result, stopReason: "end_turn" }, WRITE_STOP_REASON);
}

/** The response to a permission request. An option that was not offered counts as cancelled. */
function answer(pending: PendingPermission, optionId: unknown): JsonObject {
  const offered = typeof optionId === "string" && pending.optionIds.includes(optionId);
  const outcome = offered ? { outcome: "selected", optionId } : { outcome: "cancelled" };
  return { jsonrpc: "2.0", id: pending.id, result: { outcome } };
}
