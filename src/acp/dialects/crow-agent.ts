import type { JsonObject } from "../../wire/index.ts";
import type { Rewriter } from "../../rpc/index.ts";
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
 * A rewriter cannot send, so a request that is to be answered `{}` is delivered once more under this
 * name, which nobody handles; whatever the peer answers is then written as `{}`.
 */
export const ACKNOWLEDGED_METHOD = "_crow/acknowledge";

const CROW_STOP_REASONS = new Set<unknown>(["end_turn", "cancelled", "error"]);

interface OpenQuestion {
  readonly id: unknown;
  readonly sessionId: unknown;
  readonly toolCallId: unknown;
  readonly optionIds: readonly unknown[];
}

/** The agent's end of a crow connection: its handlers are canonical, the client speaks crow. */
export class CrowAgent implements Rewriter {
  readonly #permissionMethod: string;
  /** Methods of requests that were received and not answered. */
  readonly #calls = new Map<unknown, string>();
  /** Received requests that are answered `{}` whatever the handlers say. */
  readonly #acknowledged = new Set<unknown>();
  /** Permission questions without an answer, oldest first. */
  #questions: readonly OpenQuestion[] = [];

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

  /** Crow's client does not answer its open questions when it cancels; canonical ACP wants it to. */
  #readCancel(id: unknown, params: unknown): readonly JsonObject[] {
    const sessionId = isObject(params) ? params["sessionId"] : undefined;
    const open = this.#questions.filter((question) => question.sessionId === sessionId);
    this.#questions = this.#questions.filter((question) => !open.includes(question));
    return [
      { jsonrpc: "2.0", method: "session/cancel", params },
      ...open.map((question) => answer(question, undefined)),
      ...this.#acknowledge(id),
    ];
  }

  #readPermissionAnswer(id: unknown, params: unknown): readonly JsonObject[] {
    const said = isObject(params) ? params : {};
    const question = this.#questions.find(
      (open) =>
        open.toolCallId === said["toolCallId"] &&
        (said["sessionId"] === undefined || open.sessionId === said["sessionId"]),
    );
    if (question === undefined) return this.#acknowledge(id);
    this.#questions = this.#questions.filter((open) => open !== question);
    const optionId = said["option_id"] ?? said["optionId"];
    return [answer(question, optionId), ...this.#acknowledge(id)];
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
        return this.#ask(message["id"], params);
      case "$/cancel_request":
        this.#questions = this.#questions.filter(({ id }) => id !== params["requestId"]);
        return undefined;
      default:
        return message;
    }
  }

  #ask(id: unknown, params: JsonObject): readonly JsonObject[] {
    const { sessionId, toolCall } = params;
    const toolCallId = isObject(toolCall) ? toolCall["toolCallId"] : undefined;
    const question = { id, sessionId, toolCallId, optionIds: optionIds(params) };
    this.#questions = [...this.#questions, question];
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
  const said = { ...result, agentCapabilities: writeAgentCapabilities(capabilities) };
  return rename(said, WRITE_INITIALIZE);
}

function writePromptResult(result: JsonObject): JsonObject {
  const known = CROW_STOP_REASONS.has(result["stopReason"]);
  return rename(known ? result : { ...result, stopReason: "end_turn" }, WRITE_STOP_REASON);
}

/** The response to a question. Only an option that was offered counts as chosen. */
function answer(question: OpenQuestion, optionId: unknown): JsonObject {
  const offered = typeof optionId === "string" && question.optionIds.includes(optionId);
  const outcome = offered ? { outcome: "selected", optionId } : { outcome: "cancelled" };
  return { jsonrpc: "2.0", id: question.id, result: { outcome } };
}
