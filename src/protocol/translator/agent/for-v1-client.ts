import { ERROR_CODES, isStopReason } from "../../acp/index.ts";
import { isJsonObject, type JsonObject, objectField, stringField } from "../../../base/index.ts";
import { errorFrame, type Replies, resultFrame, type Translated, updateFrame } from "../frames.ts";
import { LossCounter } from "../losses.ts";
import { META_KEYS, REMOVED_FROM_CLIENTS, V2_METHODS } from "../methods.ts";
import { v2AgentHasStdioMcp } from "../shapes/capabilities.ts";
import { mcpServersToV2 } from "../shapes/session-fields.ts";
import { permissionToV1 } from "../shapes/permissions.ts";
import type { EndedPrompt } from "./prompts.ts";
import { type ReceiverOptions, SessionInV1 } from "./session.ts";

interface OpenCall {
  readonly method: string;
  readonly sessionId: string | undefined;
}

/**
 * Stands between a client that speaks v1 and an agent that speaks v2, after `initialize`. A client that
 * knows the additions of v2 gets them as well; see {@link ReceiverOptions}.
 */
export class V2AgentForV1Client {
  readonly losses = new LossCounter();
  readonly #receiver: ReceiverOptions;
  readonly #replies: Replies;
  /** Whether the agent starts MCP servers by a command. */
  readonly #startsCommands: boolean;
  readonly #sessions = new Map<string, SessionInV1>();
  readonly #opened = new Set<string>();
  readonly #calls = new Map<unknown, OpenCall>();
  #lastId: string | undefined;
  #last: SessionInV1 | undefined;
  #minted = 0;

  /** `initialized` is the agent's answer to `initialize`. */
  constructor(initialized: JsonObject, receiver: ReceiverOptions, replies: Replies) {
    this.#startsCommands = v2AgentHasStdioMcp(initialized["capabilities"]);
    this.#receiver = receiver;
    this.#replies = replies;
  }

  /** Translates a frame of the agent. Returns the frames for the client. */
  fromAgent(frame: JsonObject): Translated {
    const { method } = frame;
    if (method === "session/update") return this.#update(frame);
    if (method === undefined) return this.#answer(frame);
    if (typeof method !== "string") return frame;
    if (method === "session/request_permission") return this.#permission(frame);
    if (REMOVED_FROM_CLIENTS.has(method) && frame["id"] !== undefined) {
      this.#replies.toAgent(notFound(frame["id"], method));
      return undefined;
    }
    return frame;
  }

  /** Translates a frame of the client. Returns the frames for the agent. */
  fromClient(frame: JsonObject): Translated {
    const { method, id } = frame;
    if (typeof method !== "string") return frame;
    const params = isJsonObject(frame["params"]) ? frame["params"] : {};
    const sessionId = stringField(params, "sessionId");
    if (method === "$/cancel_request") return this.#withdraw(frame, params["requestId"]);
    if (id === undefined) return frame;
    this.#calls.set(id, { method, sessionId });
    switch (method) {
      case "authenticate":
        return { ...frame, method: V2_METHODS.login };
      case "logout":
        return { ...frame, method: V2_METHODS.logout };
      case "session/new":
      case "session/fork":
        return this.#withServers(frame, params);
      case "session/resume":
        return this.#withServers(frame, params);
      case "session/load": {
        const resumed = { ...params, replayFrom: { type: "start" } };
        return this.#withServers({ ...frame, method: "session/resume" }, resumed);
      }
      case "session/prompt":
        if (sessionId !== undefined) this.#session(sessionId).prompts.sent(id);
        return frame;
      case "session/set_mode":
        return this.#setMode(frame, params, sessionId);
      case "session/set_config_option": {
        const type = typeof params["value"] === "boolean" ? "boolean" : "id";
        return { ...frame, params: { ...params, type } };
      }
      default:
        return frame;
    }
  }

  #session(id: string): SessionInV1 {
    if (this.#last && this.#lastId === id) return this.#last;
    let session = this.#sessions.get(id);
    if (!session) {
      session = new SessionInV1(this.#receiver, this.losses);
      this.#sessions.set(id, session);
      this.#dropStrangers();
    }
    this.#lastId = id;
    this.#last = session;
    return session;
  }

  /** An agent may name any number of sessions that the client never opened. */
  #dropStrangers(): void {
    if (this.#sessions.size <= this.#opened.size + MAX_STRANGERS) return;
    for (const id of this.#sessions.keys()) {
      if (this.#opened.has(id)) continue;
      this.#sessions.delete(id);
      return;
    }
  }

  #forget(id: string): void {
    this.#opened.delete(id);
    this.#sessions.delete(id);
    this.#last = undefined;
    this.#lastId = undefined;
  }

  #update(frame: JsonObject): Translated {
    const { params } = frame;
    if (!isJsonObject(params)) return frame;
    const { sessionId, update } = params;
    if (typeof sessionId !== "string" || !isJsonObject(update)) return frame;
    const session = this.#session(sessionId);
    const kind = update["sessionUpdate"];
    // One per streamed token, and the same in both versions.
    if (kind === "agent_message_chunk") {
      const { messageId, content } = update;
      if (typeof messageId === "string" && isJsonObject(content) && content["type"] === "text") {
        const shownId = session.messages.append("agent_message", messageId, content);
        if (shownId === messageId) return frame;
        return { ...frame, params: { ...params, update: { ...update, messageId: shownId } } };
      }
    }
    const { updates, ended } = session.update(update);
    if (ended.length === 0 && updates.length === 1 && updates[0] === update) return frame;
    return [
      ...updates.map((one) => updateFrame(sessionId, one, params["_meta"])),
      ...ended.map((prompt) => this.#ended(prompt)),
    ];
  }

  #ended({ id, idle }: EndedPrompt): JsonObject {
    this.#calls.delete(id);
    const reason = stringField(idle, "stopReason");
    if (reason === "error") {
      const error = objectField(idle, "error") ?? {};
      const code = typeof error["code"] === "number" ? error["code"] : ERROR_CODES.internalError;
      const message = stringField(error, "message") ?? "The agent ended the turn with an error";
      return errorFrame(id, code, message, error["data"]);
    }
    const { usage, _meta: meta } = idle;
    const isKnown = reason !== undefined && isStopReason(reason);
    if (!isKnown) this.losses.add("stop-reason");
    const stopReason = isKnown || (this.#receiver.details && reason) ? reason : "end_turn";
    const raw = isKnown ? {} : { [META_KEYS.raw]: { stopReason: reason ?? null } };
    const shown = { ...(isJsonObject(meta) ? meta : {}), ...raw };
    return resultFrame(id, {
      stopReason,
      ...(usage === undefined ? {} : { usage }),
      ...(Object.keys(shown).length === 0 ? {} : { _meta: shown }),
    });
  }

  #answer(frame: JsonObject): Translated {
    const { id } = frame;
    const call = this.#calls.get(id);
    if (!call) return frame;
    if (call.method === "session/prompt") return this.#promptAnswer(frame, call);
    this.#calls.delete(id);
    const result = frame["result"] ?? undefined;
    const { sessionId = "" } = call;
    switch (call.method) {
      case "session/new":
      case "session/fork":
        if (!isJsonObject(result)) return frame;
        return this.#setUp(frame, result, stringField(result, "sessionId") ?? "");
      case "session/load":
      case "session/resume":
        if (frame["error"] !== undefined) this.#forget(sessionId);
        return isJsonObject(result) ? this.#setUp(frame, result, sessionId) : frame;
      case "session/close":
      case "session/delete":
        if (result !== undefined) this.#forget(sessionId);
        return frame;
      case "session/set_mode":
      case "session/set_config_option":
        return isJsonObject(result) ? this.#optionsSet(frame, result, call) : frame;
      default:
        return frame;
    }
  }

  #promptAnswer(frame: JsonObject, { sessionId = "" }: OpenCall): Translated {
    const { id, result } = frame;
    const { prompts } = this.#session(sessionId);
    const messageId = isJsonObject(result) ? stringField(result, "messageId") : undefined;
    if (messageId === undefined) {
      this.#calls.delete(id);
      prompts.refused(id);
      return frame;
    }
    return prompts.accepted(id, messageId).map((prompt) => this.#ended(prompt));
  }

  #setUp(frame: JsonObject, result: JsonObject, sessionId: string): Translated {
    this.#opened.add(sessionId);
    const session = this.#session(sessionId);
    const answer = { ...frame, result: session.setup(result) };
    const commands = result["availableCommands"] ?? undefined;
    if (commands === undefined) return answer;
    return [answer, updateFrame(sessionId, session.commandsUpdate(commands))];
  }

  #optionsSet(frame: JsonObject, result: JsonObject, call: OpenCall): Translated {
    const { sessionId = "", method } = call;
    const session = this.#session(sessionId);
    const before = session.modeId;
    const configOptions = session.configOptions(result["configOptions"]);
    if (method === "session/set_mode") {
      const update = { sessionUpdate: "config_option_update", configOptions };
      return [updateFrame(sessionId, update), { ...frame, result: {} }];
    }
    const mode = session.modeChange(configOptions, before);
    const answer = { ...frame, result: { ...result, configOptions } };
    return mode ? [updateFrame(sessionId, mode), answer] : answer;
  }

  /** A prompt that was accepted cannot be withdrawn anymore; only its turn can be cancelled. */
  #withdraw(frame: JsonObject, id: unknown): Translated {
    const call = this.#calls.get(id);
    if (call?.method !== "session/prompt" || call.sessionId === undefined) return frame;
    if (!this.#session(call.sessionId).prompts.isAccepted(id)) return frame;
    return { jsonrpc: "2.0", method: "session/cancel", params: { sessionId: call.sessionId } };
  }

  #withServers(frame: JsonObject, params: JsonObject): Translated {
    const servers = mcpServersToV2(params["mcpServers"]);
    const isTaken = ({ type }: JsonObject): boolean =>
      type !== "sse" && (type !== "stdio" || this.#startsCommands);
    const refused = servers.find((server) => !isTaken(server));
    if (refused) {
      this.losses.add("sse");
      this.#calls.delete(frame["id"]);
      const message = `The agent does not support MCP servers of the type ${String(refused["type"])}`;
      const error = errorFrame(frame["id"], ERROR_CODES.invalidParams, message);
      this.#replies.toClient(error);
      return undefined;
    }
    return { ...frame, params: { ...params, mcpServers: servers } };
  }

  #setMode(frame: JsonObject, params: JsonObject, sessionId: string | undefined): Translated {
    const configId = sessionId === undefined ? undefined : this.#session(sessionId).modeOptionId;
    if (configId === undefined) {
      this.#calls.delete(frame["id"]);
      this.#replies.toClient(notFound(frame["id"], "session/set_mode"));
      return undefined;
    }
    const { modeId, ...rest } = params;
    return {
      ...frame,
      method: "session/set_config_option",
      params: { ...rest, configId, type: "id", value: modeId },
    };
  }

  #permission(frame: JsonObject): Translated {
    const { params } = frame;
    if (!isJsonObject(params)) return frame;
    const sessionId = stringField(params, "sessionId");
    if (sessionId === undefined) return frame;
    const session = this.#session(sessionId);
    const mintId = (): string => `permission-${++this.#minted}`;
    const asked = permissionToV1(params, mintId);
    const { details } = this.#receiver;
    if (asked.hasUnknownKind && !details) this.losses.add("permission-kind");
    const options = details ? params["options"] : asked.options;
    const update = asked.subject && session.toolCalls.update(asked.subject);
    if (update && !details) this.losses.add("permission-text");
    const { title, description, subject, options: _, ...rest } = params;
    const toolCall = update ? withoutTag(update) : asked.minted;
    const shown = details ? { title, description, subject } : {};
    const request = { ...frame, params: { ...rest, ...shown, toolCall, options } };
    // The agent describes the call in the request itself, which counts as an update of it.
    return update ? [updateFrame(sessionId, update), request] : request;
  }
}

const MAX_STRANGERS = 256;

function withoutTag(update: JsonObject): JsonObject {
  const { sessionUpdate: _, ...call } = update;
  return call;
}

function notFound(id: unknown, method: string): JsonObject {
  return errorFrame(id, ERROR_CODES.methodNotFound, "Method not found", { method });
}
