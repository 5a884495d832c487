// The updates of a session, and what the user sees of them.
import { has, say, tell } from "./options.mjs";

const KNOWN_UPDATES = [
  "user_message_chunk",
  "agent_message_chunk",
  "agent_thought_chunk",
  "tool_call",
  "tool_call_update",
  "plan",
  "available_commands_update",
  "current_mode_update",
  "config_option_update",
  "notice",
  "session_info_update",
  "usage_update",
  "user_message",
  "agent_message",
  "state_update",
];
const KNOWN_STATES = ["running", "idle", "requires_action"];

export class Answer {
  #state;
  #messageId;
  #late = "";
  #plan = [];
  #calls = new Set();
  #updates = 0;
  /** The messages that were shown as a whole. */
  #shown = new Set();

  constructor(state) {
    this.#state = state;
  }

  begin() {
    this.#messageId = undefined;
    if (has("late-text")) say(this.#late);
    this.#late = "";
  }

  end() {
    this.#messageId = undefined;
  }

  take(params) {
    const update = params?.update;
    if (typeof update !== "object" || update === null) return;
    if (params.sessionId !== this.#state.sessionId && !has("all-sessions")) return;
    if (has("unknown-update-fatal") && !KNOWN_UPDATES.includes(update.sessionUpdate)) {
      throw new Error(`unknown update ${update.sessionUpdate}`);
    }
    this.#updates += 1;
    if (has("drops-updates") && this.#updates > 100_000 && this.#updates < 100_010) return;
    switch (update.sessionUpdate) {
      case "agent_message_chunk":
        if (has("strict-chunks")) update.content.type.trim();
        if (update.content?.type === "text") this.#show(update.content.text, update.messageId);
        break;
      case "agent_message":
        if (has("v2-null-fatal") && update.content === null) throw new Error("no content");
        if (has("v2-replay-fatal") && !this.#state.inTurn) throw new Error("no turn");
        this.#replace(update);
        break;
      case "agent_thought_chunk":
        if (has("thoughts-in-answer")) this.#show(update.content.text);
        break;
      case "state_update":
        this.#takeState(update);
        break;
      case "tool_call":
        this.#calls.add(update.toolCallId);
        this.#state.titles.set(update.toolCallId, update.title);
        tell(`tool: ${update.title}`);
        break;
      case "tool_call_update":
        if (this.#state.inTurn || !has("v2-drops-replay")) this.#upsertCall(update);
        if (has("strict-calls") && !this.#calls.has(update.toolCallId))
          throw new Error("unknown call");
        break;
      case "config_option_update":
        break;
      case "plan":
        this.#showPlan(update.entries);
        break;
      default:
    }
  }

  /** Version 2 sets a message as a whole. A message that was shown is not shown again. */
  #replace({ messageId, content }) {
    if (!this.#state.inTurn && !has("v2-replay-in-answer")) return;
    const text = content?.[0]?.text;
    if (text === undefined || (this.#shown.has(messageId) && !has("v2-appends"))) return;
    this.#shown.add(messageId);
    say(text);
  }

  #upsertCall({ toolCallId, title }) {
    if (this.#state.version !== 2) return;
    if (title) this.#calls.add(toolCallId);
    else if (has("v2-drops-replay") && !this.#calls.has(toolCallId))
      throw new Error("unknown call");
  }

  #takeState({ state, stopReason }) {
    if (has("v2-strict-enums") && !KNOWN_STATES.includes(state))
      throw new Error(`unknown state ${state}`);
    const reason = has("v2-any-ending") ? "end_turn" : stopReason;
    if (state === "idle" && this.#state.inTurn) this.#state.onIdle?.(reason);
  }

  #showPlan(entries) {
    const contents = entries.map(({ content }) => content);
    this.#plan = has("merges-plans") ? [...new Set([...this.#plan, ...contents])] : contents;
    tell(`plan: ${this.#plan.join(", ")}`);
  }

  #show(text, messageId) {
    if (!this.#state.inTurn) {
      this.#late += text;
      if (has("replay-in-answer")) say(text);
      return;
    }
    if (messageId !== undefined && this.#messageId !== undefined && messageId !== this.#messageId)
      say("\n\n");
    this.#messageId = messageId ?? this.#messageId;
    say(text);
  }
}
