import { rpcCodeOf, type Rewriter } from "../../../transport/rpc/index.ts";
import { canonicalDialect } from "./canonical.ts";
import { without, isJsonObject as isObject, isList, type JsonObject } from "../../../base/index.ts";
import { ERROR_CODES } from "../methods.ts";
import {
  readCrowCapabilities,
  readCrowContent,
  readCrowKeys,
  rename,
  WRITE_INITIALIZE,
  WRITE_STOP_REASON,
  writeCrowAgentCapabilities,
  writeCrowPermissionRequest,
  writeCrowUpdate,
  WRITE_SESSION,
  writeCrowClientCapabilities,
  crowPermissionAnswer,
  readCrowPermissionRequest,
  readCrowUpdate,
} from "./crow-conversions.ts";

/**
 * Crow's dialect of ACP: snake_case keys, updates tagged with `@type`, a cancel that is a request.
 *
 * Each key may have either spelling when read, because crow itself mixes them. Messages are always
 * written in crow's spelling, together with fields that crow does not know. `crow-losses.test.ts`
 * lists the messages that have no form in crow and are lost.
 *
 * | row | crow                                             | canonical                             |
 * |-----|--------------------------------------------------|---------------------------------------|
 * |  1  | `initialize` params in snake_case                | camelCase                             |
 * |  2  | `initialize` result in snake_case                | camelCase                             |
 * |  3  | `prompt_capabilities{text,image,resource}`       | `{image,audio,embeddedContext}`       |
 * |  4  | `mcp_capabilities`, `load_session`               | camelCase                             |
 * |  5  | `session/new`: `cwd`, `mcpServers`, `sessionId`  | the same                              |
 * |  6  | `session/prompt` params `session_id`             | `sessionId`                           |
 * |  7  | prompt result `stop_reason`                      | `stopReason`                          |
 * |  8  | stop reason `error`                              | an error response, -32603             |
 * |  9  | update tag `@type`                               | `sessionUpdate`                       |
 * | 10  | `agent_thought_text{text}`                       | `agent_thought_chunk{content}`        |
 * | 11  | `agent_message_text{text}`                       | `agent_message_chunk{content}`        |
 * | 12  | `tool_call_start{tool_call_id,...}`              | `tool_call{toolCallId,...}`           |
 * | 13  | `tool_call_update{tool_call_id,...}`             | `tool_call_update{toolCallId,...}`    |
 * | 14  | `plan_update{entries}`                           | `plan{entries}`                       |
 * | 15  | `session/load{session_id,cwd}`                   | `{sessionId,cwd,mcpServers: []}`      |
 * | 16  | request `cancel{session_id}`                     | notification `session/cancel`         |
 * | 17  | update `permission_request`                      | request `session/request_permission`  |
 * | 18  | `permission_response` (form assumed)             | the response `{outcome}`              |
 * | 19  | -32602 with `data.errors`                        | the same                              |
 * | 20  | session ids are UUIDs                            | opaque strings                        |
 *
 * Two forms are assumptions, because crow's description leaves them open: row 18 (see
 * {@link CrowOptions}), and `user_message_text`, which a replay needs and crow never mentions.
 */

/**
 * Creates a rewriter between canonical handlers and a peer that speaks crow. It never throws. Create
 * one per connection, because it keeps the ids of open requests.
 */
export function crowDialect(role: DialectRole, options: CrowOptions = {}): Rewriter {
  const canonical = canonicalDialect();
  const crow = role === "client" ? new CrowClient(options) : new CrowAgent(options);
  return {
    read: (message) => rewriteEach(crow.read(message), (next) => canonical.read(next)),
    write: (message) => rewriteEach(canonical.write(message), (next) => crow.write(next)),
  };
}

/** Which end of the connection the handlers are on. */
export type DialectRole = "client" | "agent";

/** Choices where the description of crow's dialect leaves room. */
export interface CrowOptions {
  /**
   * Whether a client answers a permission request with a notification or a request. Crow's description
   * names the method but not its form. Default: `notification`.
   */
  readonly permissionAnswer?: "notification" | "request" | undefined;
  /** The method of that answer. Default: `permission_response`. */
  readonly permissionMethod?: string | undefined;
}

/** A rewriter's output for one message: no message, one message, or several in order. */
export type Rewritten = JsonObject | readonly JsonObject[] | undefined;

export function rewriteEach(
  output: Rewritten,
  next: (message: JsonObject) => Rewritten,
): Rewritten {
  if (output === undefined) return undefined;
  if (!isList(output)) return next(output);
  return output.flatMap((message) => next(message) ?? []);
}

/**
 * A rewriter cannot send messages itself. To answer a request with `{}`, it delivers the request under
 * this name, which no handler knows, and replaces the peer's response with `{}`.
 */
const ACKNOWLEDGED_METHOD = "_crow/acknowledge";

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
    const params = isObject(given) ? readCrowKeys(given) : given;
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
        const written = isObject(update) ? writeCrowUpdate(update) : undefined;
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
    return writeCrowPermissionRequest(params).map((update) => ({
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
      return { ...message, result: writeInitializeResult(result) };
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
      return { ...params, clientCapabilities: readCrowCapabilities(capabilities) };
    }
    case "session/prompt": {
      const prompt = params["prompt"];
      return Array.isArray(prompt) ? { ...params, prompt: prompt.map(readCrowContent) } : params;
    }
    case "session/load":
      return params["mcpServers"] === undefined ? { ...params, mcpServers: [] } : params;
    default:
      return params;
  }
}

function writeInitializeResult(result: JsonObject): JsonObject {
  const capabilities = result["agentCapabilities"] ?? {};
  const written = { ...result, agentCapabilities: writeCrowAgentCapabilities(capabilities) };
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

/** Crow numbers its requests. These ids lie far above any number that a connection reaches. */
const FIRST_OWN_ID = 0x4000_0000;

/** The client's end of a crow connection. Its handlers are canonical and the agent speaks crow. */
export class CrowClient implements Rewriter {
  readonly #permissionAnswer: "notification" | "request";
  readonly #permissionMethod: string;
  /** Methods of sent requests that are not answered yet. */
  readonly #calls = new Map<unknown, string>();
  /** Requests that this rewriter made. Their responses are dropped. */
  readonly #own = new Set<unknown>();
  /** Permission requests passed to the handlers, by the id invented for each. */
  readonly #permissionRequests = new Map<unknown, JsonObject>();
  #nextOwn = FIRST_OWN_ID;
  #nextPermission = 1;

  constructor(options: CrowOptions) {
    this.#permissionAnswer = options.permissionAnswer ?? "notification";
    this.#permissionMethod = options.permissionMethod ?? "permission_response";
  }

  /** Records a request that did not pass through `write`, so that its response is understood. */
  expect(id: unknown, method: string): void {
    this.#calls.set(id, method);
  }

  read(message: JsonObject): Rewritten {
    const method = message["method"];
    if (typeof method !== "string") return this.#readAnswer(message);
    const given = message["params"];
    if (method.startsWith("_") || !isObject(given)) return message;
    const params = readCrowKeys(given);
    const update = params["update"];
    if (method !== "session/update" || !isObject(update)) return { ...message, params };
    if (update["@type"] === "permission_request") {
      return this.#requestPermission(
        readCrowPermissionRequest(params["sessionId"], readCrowKeys(update)),
      );
    }
    return { ...message, params: { ...params, update: readCrowUpdate(update) } };
  }

  #requestPermission(params: JsonObject): JsonObject {
    const id = `crow-permission-${this.#nextPermission++}`;
    this.#permissionRequests.set(id, params);
    return { jsonrpc: "2.0", id, method: "session/request_permission", params };
  }

  #readAnswer(message: JsonObject): Rewritten {
    const id = message["id"];
    if (this.#own.delete(id)) return undefined;
    const method = this.#calls.get(id);
    this.#calls.delete(id);
    const given = message["result"];
    if (method === undefined || method.startsWith("_") || !isObject(given)) return message;
    const result = readCrowKeys(given);
    if (method === "initialize") {
      const capabilities = result["agentCapabilities"];
      if (capabilities === undefined) return { ...message, result };
      return {
        ...message,
        result: { ...result, agentCapabilities: readCrowCapabilities(capabilities) },
      };
    }
    if (method === "session/prompt" && result["stopReason"] === "error") {
      const error = {
        code: ERROR_CODES.internalError,
        message: "The agent ended the turn with an error",
        data: { stopReason: "error" },
      };
      return { ...without(message, "result"), error };
    }
    return { ...message, result };
  }

  write(message: JsonObject): Rewritten {
    const method = message["method"];
    const id = message["id"];
    if (typeof method !== "string") return this.#writeAnswer(message);
    if (id !== undefined) this.#calls.set(id, method);
    const params = isObject(message["params"]) ? message["params"] : {};
    switch (method) {
      case "initialize":
        return { ...message, params: writeInitializeParams(params) };
      case "session/prompt":
        return { ...message, params: rename(params, WRITE_SESSION) };
      case "session/load": {
        const servers = params["mcpServers"];
        const none = Array.isArray(servers) && servers.length === 0;
        const written = none ? without(params, "mcpServers") : params;
        return { ...message, params: rename(written, WRITE_SESSION) };
      }
      case "session/cancel":
        return this.#ownRequest("cancel", rename(params, WRITE_SESSION));
      case "$/cancel_request":
        return undefined;
      default:
        return message;
    }
  }

  #writeAnswer(message: JsonObject): JsonObject {
    const request = this.#permissionRequests.get(message["id"]);
    if (request === undefined) return message;
    this.#permissionRequests.delete(message["id"]);
    const call = request["toolCall"];
    const params = {
      session_id: request["sessionId"],
      tool_call_id: isObject(call) ? call["toolCallId"] : undefined,
      option_id: crowPermissionAnswer(request, message),
    };
    if (this.#permissionAnswer === "request") {
      return this.#ownRequest(this.#permissionMethod, params);
    }
    return { jsonrpc: "2.0", method: this.#permissionMethod, params };
  }

  #ownRequest(method: string, params: JsonObject): JsonObject {
    const id = this.#nextOwn++;
    this.#own.add(id);
    return { jsonrpc: "2.0", id, method, params };
  }
}

function writeInitializeParams(params: JsonObject): JsonObject {
  const capabilities = params["clientCapabilities"] ?? {};
  const written = { ...params, clientCapabilities: writeCrowClientCapabilities(capabilities) };
  return rename(written, WRITE_INITIALIZE);
}

function optionIds(params: JsonObject): readonly unknown[] {
  const options = params["options"];
  return Array.isArray(options)
    ? options.map((option) => (isObject(option) ? option["optionId"] : undefined))
    : [];
}

/**
 * Whether an error, thrown or raw from the wire, is the one a crow-only peer returns for a canonical
 * `initialize`: -32602, because it finds no `protocol_version`. Never throws.
 */
export function isCrowRefusal(error: unknown): boolean {
  return rpcCodeOf(error) === ERROR_CODES.invalidParams;
}
