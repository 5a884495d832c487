import { ERROR_CODES } from "../../acp/index.ts";
import {
  isJsonObject,
  type JsonObject,
  objectField,
  objectsField,
  stringField,
} from "../../../base/index.ts";
import {
  errorFrame,
  type Replies,
  resultFrame,
  type Translated,
  updateFrame,
  cancelRequestFrame,
  withdrawnPromptFrame,
} from "../frames.ts";
import { LossCounter } from "../losses.ts";
import { REMOVED_FROM_AGENTS, REMOVED_FROM_CLIENTS, V2_METHODS } from "../methods.ts";
import { mcpServersToV1 } from "../shapes/session-fields.ts";
import { isPermissionOutcomeInV1, permissionToV2 } from "../shapes/permissions.ts";
import { type OpenPrompt, SessionInV2 } from "./session.ts";

/**
 * The notification by which an agent on this side says that the turn of a request has started. It never
 * reaches the client. Params: `requestId`, `messageId`.
 */
export const TURN_STARTED = "_dragoman/turn_started";

interface OpenCall {
  readonly method: string;
  readonly sessionId: string | undefined;
  /** The value that a translated call sets. */
  readonly value?: unknown;
}

/** A request of the agent that the client has not answered yet. */
interface OpenQuestion {
  /** The session whose turn waits for the answer. */
  readonly session: SessionInV2 | undefined;
  readonly options: readonly JsonObject[] | undefined;
}

/** Stands between a client that speaks v2 and an agent that speaks v1, after `initialize`. */
export class V1AgentForV2Client {
  readonly losses = new LossCounter();
  /**
   * Whether the agent reports when a turn starts, with {@link TURN_STARTED}, and owns the terminals in its
   * tool calls. Otherwise a prompt counts as accepted once it is sent, and prompts are queued here.
   */
  readonly #hasDetails: boolean;
  readonly #capabilities: JsonObject;
  readonly #replies: Replies;
  readonly #sessions = new Map<string, SessionInV2>();
  /** Requests of the client, and requests of the agent, by id. */
  readonly #calls = new Map<unknown, OpenCall>();
  readonly #questions = new Map<unknown, OpenQuestion>();
  /** Sessions that were closed. Nothing is sent about them anymore. */
  readonly #gone = new Set<string>();

  /** `initialized` is the agent's answer to `initialize`. */
  constructor(initialized: JsonObject, hasDetails: boolean, replies: Replies) {
    this.#capabilities = objectField(initialized, "agentCapabilities") ?? {};
    this.#hasDetails = hasDetails;
    this.#replies = replies;
  }

  /** Translates a frame of the client. Returns the frames for the agent. */
  fromClient(frame: JsonObject): Translated {
    const { method, id } = frame;
    if (method === undefined) return this.#clientAnswer(frame);
    if (typeof method !== "string") return frame;
    if (id === null) {
      return this.#refuse(null, ERROR_CODES.invalidRequest, "The id of a request must not be null");
    }
    const params = isJsonObject(frame["params"]) ? frame["params"] : {};
    const sessionId = stringField(params, "sessionId");
    if (id === undefined) return this.#clientNotification(frame, method, params);
    if (REMOVED_FROM_AGENTS.has(method)) return this.#notFound(id, method);
    this.#calls.set(id, { method, sessionId });
    switch (method) {
      case V2_METHODS.login:
        return { ...frame, method: "authenticate" };
      case V2_METHODS.logout:
        if (this.#can("auth", "logout")) return { ...frame, method: "logout" };
        this.losses.add("logout");
        return this.#refuse(id, ERROR_CODES.internalError, "The agent cannot sign out");
      case "session/new":
      case "session/fork":
        return this.#withServers(frame, params);
      case "session/resume":
        return this.#resume(frame, params, sessionId);
      case "session/list":
        if (this.#can("sessionCapabilities", "list")) return frame;
        this.losses.add("session-list");
        return this.#answerHere(id, { sessions: [] });
      case "session/close":
        return this.#close(frame, sessionId);
      case "session/prompt":
        return this.#prompt(frame, sessionId);
      case "session/set_config_option":
        return this.#setOption(frame, params, sessionId);
      case V2_METHODS.cancelToolCall:
      case V2_METHODS.cancelTerminal:
        return this.#hasDetails ? frame : this.#notFound(id, method);
      default:
        return frame;
    }
  }

  /** Translates a frame of the agent. Returns the frames for the client. */
  fromAgent(frame: JsonObject): Translated {
    const { method, id } = frame;
    if (method === "session/update") return this.#update(frame);
    if (method === undefined) return this.#agentAnswer(frame);
    if (typeof method !== "string") return frame;
    if (method === TURN_STARTED) return this.#turnStarted(frame["params"]);
    if (method === "$/cancel_request") return this.#withdrawnQuestion(frame);
    if (REMOVED_FROM_CLIENTS.has(method) && id !== undefined) {
      this.losses.add("files");
      const error = errorFrame(id, ERROR_CODES.methodNotFound, "Method not found", { method });
      this.#replies.toAgent(error);
      return undefined;
    }
    if (method === "session/request_permission" || method === "elicitation/create") {
      return this.#question(frame, method);
    }
    return frame;
  }

  #can(group: string, name: string): boolean {
    const capabilities = objectField(this.#capabilities, group);
    return capabilities !== undefined && isJsonObject(capabilities[name]);
  }

  #session(id: string): SessionInV2 {
    let session = this.#sessions.get(id);
    if (!session) {
      session = new SessionInV2(id, this.#hasDetails, this.losses);
      this.#sessions.set(id, session);
    }
    return session;
  }

  #clientNotification(frame: JsonObject, method: string, params: JsonObject): Translated {
    const sessionId = stringField(params, "sessionId");
    if (method !== "session/cancel" || sessionId === undefined) return frame;
    // The cancel also withdraws every prompt that has not started.
    const session = this.#session(sessionId);
    const waiting = session.prompts.filter(({ messageId }) => messageId === undefined);
    if (this.#hasDetails) {
      const withdrawals = waiting.map(({ id }) => cancelRequestFrame(id));
      return [...withdrawals, frame];
    }
    for (const prompt of waiting) this.#withdraw(session, prompt);
    return frame;
  }

  #withdraw(session: SessionInV2, prompt: OpenPrompt): void {
    session.prompts.splice(session.prompts.indexOf(prompt), 1);
    this.#calls.delete(prompt.id);
    this.#replies.toClient(withdrawnPromptFrame(prompt.id));
  }

  #prompt(frame: JsonObject, sessionId: string | undefined): Translated {
    if (sessionId === undefined) return frame;
    const session = this.#session(sessionId);
    const prompt: OpenPrompt = { id: frame["id"], frame, messageId: undefined };
    session.prompts.push(prompt);
    if (this.#hasDetails) return frame;
    if (session.prompts.length > MAX_PROMPTS) {
      session.prompts.pop();
      const message = `More than ${MAX_PROMPTS} prompts are waiting`;
      return this.#refuse(frame["id"], ERROR_CODES.invalidRequest, message);
    }
    if (session.prompts.length > 1) return undefined;
    return this.#start(session, prompt);
  }

  #start(session: SessionInV2, prompt: OpenPrompt): JsonObject {
    for (const started of session.started(prompt)) this.#replies.toClient(started);
    return prompt.frame;
  }

  #turnStarted(params: unknown): Translated {
    const { requestId, messageId } = isJsonObject(params) ? params : {};
    for (const session of this.#sessions.values()) {
      const prompt = session.prompts.find(({ id }) => id === requestId);
      if (prompt) return session.started(prompt, messageId);
    }
    return undefined;
  }

  #resume(frame: JsonObject, params: JsonObject, sessionId: string | undefined): Translated {
    const { replayFrom, ...rest } = params;
    const from = replayFrom ?? undefined;
    if (from !== undefined && (!isJsonObject(from) || from["type"] !== "start")) {
      return this.#refuse(frame["id"], ERROR_CODES.invalidParams, "Unknown replayFrom");
    }
    const loads = this.#capabilities["loadSession"] === true;
    const resumes = this.#can("sessionCapabilities", "resume");
    if (!loads && !resumes) {
      this.losses.add("session-history");
      const code = ERROR_CODES.resourceNotFound;
      return this.#refuse(frame["id"], code, "Session not found", { sessionId });
    }
    const isLoad = from === undefined ? !resumes : loads;
    if (isLoad !== (from !== undefined)) this.losses.add("session-history");
    if (sessionId !== undefined) this.#gone.delete(sessionId);
    const session = sessionId === undefined ? undefined : this.#session(sessionId);
    if (session) session.replay = isLoad && from === undefined ? "dropped" : "passed";
    const method = isLoad ? "session/load" : "session/resume";
    return this.#withServers({ ...frame, method }, rest);
  }

  #close(frame: JsonObject, sessionId: string | undefined): Translated {
    if (sessionId === undefined || this.#can("sessionCapabilities", "close")) return frame;
    this.losses.add("session-close");
    const { isRunning } = this.#session(sessionId);
    for (const last of this.#closed(sessionId)) this.#replies.toClient(last);
    this.#answerHere(frame["id"], {});
    if (!isRunning) return undefined;
    return { jsonrpc: "2.0", method: "session/cancel", params: { sessionId } };
  }

  /** Forgets a session. Returns the last frames about it: nothing may follow the answer to the close. */
  #closed(sessionId: string): readonly JsonObject[] {
    const session = this.#sessions.get(sessionId);
    this.#sessions.delete(sessionId);
    this.#gone.add(sessionId);
    const [oldest] = this.#gone;
    if (this.#gone.size > MAX_GONE && oldest !== undefined) this.#gone.delete(oldest);
    if (!session) return [];
    for (const { id } of session.prompts) this.#calls.set(id, { method: OVER, sessionId });
    return session.closed();
  }

  #setOption(frame: JsonObject, params: JsonObject, sessionId: string | undefined): Translated {
    const { type, ...rest } = params;
    const { configId, value } = params;
    if (type !== "id" && type !== "boolean") {
      return this.#refuse(frame["id"], ERROR_CODES.invalidParams, "type: must be id or boolean");
    }
    if (sessionId === undefined || !this.#session(sessionId).isMintedMode(configId)) {
      return { ...frame, params: type === "id" ? rest : params };
    }
    this.#calls.set(frame["id"], { method: "session/set_mode", sessionId, value });
    const { _meta } = params;
    const meta = _meta === undefined ? {} : { _meta };
    return { ...frame, method: "session/set_mode", params: { sessionId, modeId: value, ...meta } };
  }

  #withServers(frame: JsonObject, params: JsonObject): JsonObject {
    const mcpServers = mcpServersToV1(params["mcpServers"]);
    return { ...frame, params: { ...params, mcpServers } };
  }

  #update(frame: JsonObject): Translated {
    const { params } = frame;
    if (!isJsonObject(params)) return frame;
    const { sessionId, update } = params;
    if (typeof sessionId !== "string" || !isJsonObject(update)) return frame;
    if (this.#gone.has(sessionId)) return undefined;
    const session = this.#session(sessionId);
    if (session.replay === "dropped") return undefined;
    const updates = session.update(update);
    if (updates.length === 1 && updates[0] === update) return frame;
    return updates.map((one) => updateFrame(sessionId, one, params["_meta"]));
  }

  #question(frame: JsonObject, method: string): Translated {
    const { params, id } = frame;
    if (!isJsonObject(params)) return frame;
    const sessionId = stringField(params, "sessionId");
    const session = sessionId === undefined ? undefined : this.#session(sessionId);
    const isPermission = method !== "elicitation/create";
    const asked = isPermission ? this.#permission(frame, params, session) : frame;
    const options = isPermission ? objectsField(params, "options") : undefined;
    this.#questions.set(id, { session, options });
    const about = stringField(objectField(params, "toolCall") ?? params, "toolCallId");
    const states = session?.frames(session.foreground.asked(id, about)) ?? [];
    return states.length === 0 ? asked : [...states, asked];
  }

  /** The agent does not wait for the answer anymore. */
  #withdrawnQuestion(frame: JsonObject): Translated {
    const id = objectField(frame, "params")?.["requestId"];
    const session = this.#questions.get(id)?.session;
    this.#questions.delete(id);
    return [frame, ...(session?.frames(session.foreground.answered(id)) ?? [])];
  }

  #permission(frame: JsonObject, params: JsonObject, session: SessionInV2 | undefined): JsonObject {
    const given = objectField(params, "toolCall") ?? {};
    const toolCall = session ? session.toolCall(given) : given;
    const title = session?.titleOf(given["toolCallId"]);
    return { ...frame, params: permissionToV2(params, toolCall, title || undefined) };
  }

  #clientAnswer(frame: JsonObject): Translated {
    const { id, result } = frame;
    const question = this.#questions.get(id);
    if (!question) return frame;
    this.#questions.delete(id);
    const { session, options } = question;
    const states = session?.frames(session.foreground.answered(id)) ?? [];
    for (const state of states) this.#replies.toClient(state);
    // An outcome that v1 does not know, or an option that was not offered, must not count as approval.
    if (!options || !isJsonObject(result) || isPermissionOutcomeInV1(result["outcome"], options))
      return frame;
    return { ...frame, result: { ...result, outcome: { outcome: "cancelled" } } };
  }

  #agentAnswer(frame: JsonObject): Translated {
    const { id } = frame;
    const call = this.#calls.get(id);
    if (!call) return frame;
    this.#calls.delete(id);
    const result = frame["result"] ?? undefined;
    const { sessionId = "" } = call;
    switch (call.method) {
      case "session/prompt":
        return this.#promptAnswer(frame, this.#session(sessionId));
      case "session/new":
      case "session/fork": {
        if (!isJsonObject(result)) return frame;
        const id = stringField(result, "sessionId") ?? "";
        this.#gone.delete(id);
        return { ...frame, result: this.#session(id).setup(result) };
      }
      case "session/resume":
        return this.#resumed(frame, result, this.#session(sessionId));
      case "session/close":
      case "session/delete":
        if (frame["error"] !== undefined) return frame;
        return [...this.#closed(sessionId), withObject(frame)];
      case OVER:
        return undefined;
      case "session/set_mode": {
        if (frame["error"] !== undefined) return frame;
        const session = this.#session(sessionId);
        session.setMode(call.value);
        return { ...frame, result: session.optionsResult(undefined) };
      }
      case "session/set_config_option": {
        if (!isJsonObject(result)) return frame;
        const options = this.#session(sessionId).optionsResult(result["configOptions"]);
        return { ...frame, result: { ...result, ...options } };
      }
      default:
        return withObject(frame);
    }
  }

  #resumed(frame: JsonObject, result: unknown, session: SessionInV2): Translated {
    session.replay = "none";
    if (frame["error"] !== undefined) {
      this.#sessions.delete(session.id);
      return frame;
    }
    const setup = session.setup(isJsonObject(result) ? result : {});
    return [...session.frames([session.foreground.current()]), { ...frame, result: setup }];
  }

  #promptAnswer(frame: JsonObject, session: SessionInV2): Translated {
    const prompt = session.prompts.find(({ id }) => id === frame["id"]);
    if (!prompt) return undefined;
    session.prompts.splice(session.prompts.indexOf(prompt), 1);
    if (prompt.messageId === undefined) return notStarted(frame);
    const idle = session.idle(ending(frame));
    if (frame["error"] !== undefined) this.losses.add("late-refusal");
    const [next] = session.prompts;
    if (this.#hasDetails || !next) return idle;
    this.#replies.toClient(idle);
    this.#replies.toAgent(this.#start(session, next));
    return undefined;
  }

  #notFound(id: unknown, method: string): undefined {
    return this.#refuse(id, ERROR_CODES.methodNotFound, "Method not found", { method });
  }

  #refuse(id: unknown, code: number, message: string, data?: unknown): undefined {
    this.#calls.delete(id);
    this.#replies.toClient(errorFrame(id, code, message, data));
    return undefined;
  }

  #answerHere(id: unknown, result: JsonObject): undefined {
    this.#calls.delete(id);
    this.#replies.toClient(resultFrame(id, result));
    return undefined;
  }
}

/** Stands for the method of a request that was answered before the agent did. */
const OVER = "";
/** How many closed sessions are remembered. */
const MAX_GONE = 1000;
/** How many prompts may wait for their turn. */
const MAX_PROMPTS = 100;

/** The idle state for the v1 answer of a prompt. */
function ending(frame: JsonObject): JsonObject {
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
function notStarted(frame: JsonObject): JsonObject {
  if (frame["error"] !== undefined) return frame;
  return errorFrame(frame["id"], ERROR_CODES.requestCancelled, "The prompt was cancelled");
}

/** v1 allows null as an empty result, v2 does not. */
function withObject(frame: JsonObject): JsonObject {
  return frame["result"] === null ? { ...frame, result: {} } : frame;
}
