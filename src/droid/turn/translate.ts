import {
  type JsonObject,
  numberField,
  objectField,
  objectsField,
  stringField,
  stringsField,
} from "../../base/index.ts";
import type { DroidEvent, NoticeEvent, ToolCallEvent, ToolResultEvent } from "./events.ts";
import { readFailure, readStopReason } from "../protocol/failures.ts";
import { MessageTexts, type Emit } from "./message-texts.ts";
import {
  readMessage,
  readToolUse,
  resultText,
  type DroidMessage,
  PLAN_TOOL,
  type ToolUse,
  isInterruptNote,
} from "../protocol/messages.ts";
import type { TrackerSignal } from "./turn-tracker.ts";
import { readSpent } from "../protocol/usage.ts";
import { readPlan } from "../protocol/plan.ts";
import { readMcpServer } from "../protocol/mcp.ts";

type HookNotice = Extract<NoticeEvent, { readonly kind: "hook" }>;

/**
 * Translates Droid's notifications into events, in order and without repetitions.
 *
 * It keeps only the state it needs for that (texts of open messages, known tool calls), and its only
 * effect is to call `emit`. It returns what a notification means for the end of the turn. Settings
 * are left to the caller, which knows the ones in effect.
 */
export class Translator {
  readonly #emit: Emit;
  readonly #texts: MessageTexts;
  readonly #tools: ToolCallTracker;
  #lastState: string | undefined;
  /** The running hooks: in 0.99 the notification of their end has only their id. */
  readonly #hooks = new Map<string, Pick<HookNotice, "event" | "toolId">>();

  constructor(emit: Emit) {
    this.#emit = emit;
    this.#texts = new MessageTexts(emit);
    this.#tools = new ToolCallTracker(emit);
  }

  /** Starts a new turn. Only the previous turn is remembered, to recognize late repetitions. */
  startTurn(): void {
    this.#texts.startTurn();
    this.#tools.startTurn();
  }

  /** `requestId` is the id of the request that sent the prompt. It identifies the echo of the prompt. */
  translate(notification: JsonObject, requestId: string | undefined): TrackerSignal | undefined {
    switch (notification["type"]) {
      case "assistant_text_delta":
        return this.#delta("text", notification);
      case "thinking_text_delta":
        return this.#delta("thinking", notification);
      case "assistant_text_complete":
      case "thinking_text_complete":
      case "tool_execution_heartbeat":
        return undefined;
      case "create_message":
        return this.#message(notification, requestId);
      case "message":
        return this.#documentedMessage(notification, requestId);
      case "tool_call": {
        const call = readToolUse(objectField(notification, "toolUse") ?? notification);
        if (call) this.#tools.call(call);
        return undefined;
      }
      case "tool_execution_phase_changed":
        this.#phase(notification);
        return undefined;
      case "tool_progress_update":
        this.#progress(notification);
        return undefined;
      case "tool_result":
      case "tool_return":
        this.#result(notification);
        return undefined;
      case "droid_working_state_changed":
        return this.#state(stringField(notification, "newState") ?? "");
      case "agent_turn_completed":
        return {
          type: "completed",
          turnId: stringField(notification, "turnId") ?? "",
          reason: readStopReason(stringField(notification, "reason") ?? ""),
          spent: readSpent(notification, "tokenUsage"),
        };
      case "assistant_message_retracted": {
        const messageId = stringField(notification, "messageId") ?? "";
        this.#texts.retract(messageId);
        return { type: "retracted", messageId };
      }
      case "error": {
        const failure = readFailure(notification);
        this.#emit({ type: "error", failure });
        return { type: "failed", failure };
      }
      case "queued_messages_discarded":
        return this.#discarded(notification, requestId);
      default:
        this.#other(notification);
        return undefined;
    }
  }

  #delta(kind: "text" | "thinking", notification: JsonObject): TrackerSignal | undefined {
    const { messageId, blockIndex, textDelta } = notification;
    if (typeof messageId !== "string" || typeof textDelta !== "string") return undefined;
    const block = typeof blockIndex === "number" ? blockIndex : 0;
    const first = this.#texts.delta(kind, messageId, block, textDelta);
    return first ? { type: "streaming", messageId } : undefined;
  }

  #message(notification: JsonObject, requestId: string | undefined): TrackerSignal | undefined {
    const message = readMessage(objectField(notification, "message") ?? {});
    if (message.role === "user" && requestId !== undefined) {
      if (stringField(notification, "requestId") === requestId)
        return { type: "echoed", messageId: message.id };
    }
    return this.#show(message);
  }

  #show(message: DroidMessage): TrackerSignal | undefined {
    if (message.visibility === "llm_only") return undefined;
    switch (message.role) {
      case "assistant": {
        this.#texts.whole(message);
        const calls = message.content.flatMap((block) =>
          block.type === "tool_use" ? [block.toolUse] : [],
        );
        for (const call of calls) this.#tools.finished(call, message.id);
        return { type: "message", messageId: message.id, callsTools: calls.length > 0 };
      }
      case "system":
        this.#notice(message);
        return undefined;
      case "tool":
        // Seen only in loaded history, not live. If a version sends it live, it repeats a known result.
        for (const block of message.content) {
          if (block.type !== "tool_result") continue;
          const { toolUseId: id, content, isError } = block;
          this.#tools.result({ id, messageId: message.id, content, isError });
        }
        return undefined;
      default:
        return undefined;
    }
  }

  #notice(message: DroidMessage): void {
    if (isInterruptNote(message)) return;
    const text = message.content
      .flatMap((block) => (block.type === "text" ? [block.text] : []))
      .join("\n");
    if (text !== "") this.#emit({ type: "notice", kind: "message", messageId: message.id, text });
  }

  /** Factory's old documentation describes `message` with `role` and `text`, or with a `toolUse`. */
  #documentedMessage(
    notification: JsonObject,
    requestId: string | undefined,
  ): TrackerSignal | undefined {
    if (objectField(notification, "message")) return this.#message(notification, requestId);
    const toolUse = objectField(notification, "toolUse");
    if (toolUse) {
      const call = readToolUse(toolUse);
      if (call) this.#tools.finished(call, stringField(notification, "id"));
      return undefined;
    }
    const text = stringField(notification, "text");
    if (text === undefined) return this.#show(readMessage(notification));
    const message = { ...notification, content: [{ type: "text", text }] };
    return this.#show(readMessage(message));
  }

  #phase(notification: JsonObject): void {
    const id = stringField(notification, "toolUseId");
    const phase = stringField(notification, "phase");
    if (id === undefined || (phase !== "queued" && phase !== "executing")) return;
    this.#tools.phase(id, stringField(notification, "toolName") ?? "", phase);
  }

  #progress(notification: JsonObject): void {
    const raw = objectField(notification, "update") ?? {};
    this.#emit({
      type: "tool_progress",
      id: stringField(notification, "toolUseId") ?? "",
      name: stringField(notification, "toolName") ?? "",
      text: stringField(raw, "text") ?? stringField(raw, "error") ?? "",
      output: stringField(raw, "fullOutput"),
      subagentSessionId: stringField(raw, "subagentSessionId"),
      isError: raw["type"] === "error",
      raw,
    });
  }

  #result(notification: JsonObject): void {
    const id = stringField(notification, "toolUseId") ?? stringField(notification, "id");
    if (id === undefined) return;
    this.#tools.result({
      id,
      messageId: stringField(notification, "messageId"),
      content: resultText(notification["content"] ?? notification["value"]),
      // 0.57.14 does not report whether it is an error.
      isError: notification["isError"] === true,
    });
  }

  #state(state: string): TrackerSignal {
    if (state !== this.#lastState) this.#emit({ type: "state", state });
    this.#lastState = state;
    return { type: "state", state };
  }

  #discarded(notification: JsonObject, requestId: string | undefined): TrackerSignal | undefined {
    const id = stringField(notification, "requestId");
    const text = stringField(notification, "text") ?? "";
    this.#emit({ type: "notice", kind: "discarded", text, requestId: id });
    // 0.99 does not report which message it discarded, but only one can have been queued.
    return id === undefined || id === requestId ? { type: "discarded" } : undefined;
  }

  /** Notifications that do not concern messages, tools or the end of the turn. */
  #other(notification: JsonObject): void {
    switch (notification["type"]) {
      case "hook_execution_started":
        return this.#hook("started", notification);
      case "hook_execution_completed":
        return this.#hook("completed", notification);
      default: {
        const event = plainEvent(notification);
        if (event) this.#emit(event);
      }
    }
  }

  #hook(stage: "started" | "completed", raw: JsonObject): void {
    const hookId = stringField(raw, "hookId") ?? "";
    const started = this.#hooks.get(hookId);
    const event = stringField(raw, "hookEventName") ?? started?.event ?? "";
    const toolId = stringField(raw, "hookToolCallId") ?? started?.toolId;
    if (stage === "started") this.#hooks.set(hookId, { event, toolId });
    else this.#hooks.delete(hookId);
    this.#emit({ type: "notice", kind: "hook", stage, hookId, event, toolId, raw });
  }
}

/** The event for a notification that needs no state; undefined if it lacks the essential part. */
function plainEvent(notification: JsonObject): DroidEvent | undefined {
  const text = (key: string): string | undefined => stringField(notification, key);
  switch (notification["type"]) {
    case "permission_resolved":
      return {
        type: "permission_resolved",
        requestId: text("requestId") ?? "",
        toolIds: stringsField(notification, "toolUseIds"),
        option: text("selectedOption") ?? "",
      };
    case "session_token_usage_changed": {
      const spent = readSpent(notification, "tokenUsage");
      return (
        spent && {
          type: "usage",
          sessionId: text("sessionId"),
          ...spent,
          inclusive: readSpent(notification, "inclusiveTokenUsage")?.usage,
          lastCall: readSpent(notification, "lastCallTokenUsage")?.usage,
        }
      );
    }
    case "structured_output": {
      const { structuredOutput: value } = notification;
      return { type: "structured_output", messageId: text("messageId"), value };
    }
    case "session_title_updated":
      return { type: "title", title: text("title") ?? "", source: text("updateType") };
    case "llm_retry": {
      const attempt = numberField(notification, "attempt");
      return { type: "notice", kind: "retry", attempt, reason: text("reason") };
    }
    case "session_compacted": {
      const removedCount = numberField(notification, "removedCount");
      return { type: "notice", kind: "compaction", removedCount, summaryId: text("summaryId") };
    }
    case "mcp_status_changed": {
      const servers = objectsField(notification, "servers").map(readMcpServer);
      return { type: "mcp", kind: "status", servers };
    }
    case "mcp_auth_required":
      return {
        type: "mcp",
        kind: "auth_required",
        server: text("serverName") ?? "",
        url: text("authUrl"),
        message: text("message"),
      };
    case "mcp_auth_completed": {
      const server = text("serverName") ?? "";
      return { type: "mcp", kind: "auth_completed", server, raw: notification };
    }
    default:
      return { type: "unknown", notification };
  }
}

interface KnownCall {
  name: string;
  input: ToolUse["input"];
  /** The input as JSON, to detect whether a repeated call has changed. */
  inputJson: string;
  isComplete: boolean;
  phase: ToolCallEvent["phase"];
  messageId: string | undefined;
  hasResult: boolean;
}

/**
 * The tool calls of a turn. Droid repeats them (0.99 sends every growing snapshot of the input, and
 * the call once more before the result), so an event is emitted only when something has changed.
 */
export class ToolCallTracker {
  readonly #emit: Emit;
  #known = new Map<string, KnownCall>();
  /** The calls of the previous turn, so that a late result is not emitted twice. */
  #previousTurn = new Map<string, KnownCall>();
  #lastPlan = "";

  constructor(emit: Emit) {
    this.#emit = emit;
  }

  startTurn(): void {
    this.#previousTurn = this.#known;
    this.#known = new Map();
  }

  /** A call that the model is still writing. */
  call(toolUse: ToolUse): void {
    this.#upsert(toolUse, {});
  }

  /** A call from a finished message. */
  finished(toolUse: ToolUse, messageId: string | undefined): void {
    this.#upsert(toolUse, { isComplete: true, messageId });
  }

  phase(id: string, name: string, phase: ToolCallEvent["phase"]): void {
    const known = this.#known.get(id);
    const toolUse = known ? { id, name: known.name, input: known.input } : { id, name, input: {} };
    this.#upsert(toolUse, { phase });
  }

  result(result: Omit<ToolResultEvent, "type">): void {
    const known = this.#known.get(result.id) ?? this.#previousTurn.get(result.id);
    if (known?.hasResult) return;
    if (known) known.hasResult = true;
    else this.#known.set(result.id, { ...newCall(), hasResult: true });
    this.#emit({ type: "tool_result", ...result });
  }

  #upsert(
    toolUse: ToolUse,
    update: Partial<Pick<KnownCall, "isComplete" | "phase" | "messageId">>,
  ): void {
    const { id } = toolUse;
    const inputJson = JSON.stringify(toolUse.input);
    let known = this.#known.get(id);
    // An id may be reused in a new turn or after its result: some models count from one each time.
    if (!known || (known.hasResult && inputJson !== known.inputJson)) {
      known = newCall();
      this.#known.set(id, known);
    }
    const hasChanged =
      known.name === "" ||
      inputJson !== known.inputJson ||
      (update.isComplete === true && !known.isComplete) ||
      (update.phase !== undefined && update.phase !== known.phase) ||
      (update.messageId !== undefined && update.messageId !== known.messageId);
    if (!hasChanged || known.hasResult) return;
    known.name = toolUse.name || known.name;
    known.input = toolUse.input;
    known.inputJson = inputJson;
    known.isComplete ||= update.isComplete === true;
    known.phase = update.phase ?? known.phase;
    known.messageId = update.messageId ?? known.messageId;
    const { name, input, isComplete, phase, messageId } = known;
    this.#emit({ type: "tool_call", id, name, input, isComplete, phase, messageId });
    if (name === PLAN_TOOL && isComplete) this.#plan(id, known);
  }

  #plan(toolId: string, { input, inputJson }: KnownCall): void {
    const entries = readPlan(input);
    const key = toolId + inputJson;
    if (!entries || key === this.#lastPlan) return;
    this.#lastPlan = key;
    this.#emit({ type: "plan", toolId, entries });
  }
}

function newCall(): KnownCall {
  return {
    name: "",
    input: {},
    inputJson: "",
    isComplete: false,
    phase: undefined,
    messageId: undefined,
    hasResult: false,
  };
}
