import type { JsonObject } from "../../../base/index.ts";
import type { Rewriter } from "../../../transport/rpc/index.ts";
import { isObject } from "../parse/guards.ts";
import { ERROR_CODES } from "../methods.ts";
import type { Rewritten } from "./chain.ts";
import type { CrowOptions } from "./crow-options.ts";
import {
  readCapabilities,
  readKeys,
  rename,
  without,
  WRITE_INITIALIZE,
  WRITE_SESSION,
  writeClientCapabilities,
} from "./crow-keys.ts";
import { answerFor, readPermissionRequest } from "./crow-permissions.ts";
import { readUpdate } from "./crow-updates.ts";

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
    const params = readKeys(given);
    const update = params["update"];
    if (method !== "session/update" || !isObject(update)) return { ...message, params };
    if (update["@type"] === "permission_request") {
      return this.#requestPermission(readPermissionRequest(params["sessionId"], readKeys(update)));
    }
    return { ...message, params: { ...params, update: readUpdate(update) } };
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
    const result = readKeys(given);
    if (method === "initialize") {
      const capabilities = result["agentCapabilities"];
      if (capabilities === undefined) return { ...message, result };
      return {
        ...message,
        result: { ...result, agentCapabilities: readCapabilities(capabilities) },
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
        return { ...message, params: writeInitialize(params) };
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
      option_id: answerFor(request, message),
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

function writeInitialize(params: JsonObject): JsonObject {
  const capabilities = params["clientCapabilities"] ?? {};
  const written = { ...params, clientCapabilities: writeClientCapabilities(capabilities) };
  return rename(written, WRITE_INITIALIZE);
}
