import { without, type JsonObject } from "../../../base/index.ts";

type State = "running" | "requires_action" | "idle";

/** A turn may have many tool calls. Above this, the oldest one counts as over. */
const MAX_CALLS = 1000;

/**
 * Whether a session works, waits for the user or is idle, and the work in its background. v1 has no
 * message for that, so it follows from the turns, the questions to the user and the tool calls.
 */
export class Foreground {
  #state: State = "idle";
  /** Work that the agent started by itself. */
  #hasOwnWork = false;
  /** Undefined until the agent reports background work. From then on, every state has the list. */
  #background: readonly JsonObject[] | undefined;
  /** The questions that the turn waits for, each with the tool call that it is about. */
  readonly #questions = new Map<unknown, string | undefined>();
  readonly #runningCalls = new Set<string>();
  /** Whether the agent went on with something else after the last question. */
  #wentOn = false;

  get hasOwnWork(): boolean {
    return this.#hasOwnWork;
  }

  current(): JsonObject {
    return this.#update(this.#state);
  }

  started(): JsonObject {
    return this.#update("running");
  }

  /** The work is over. Returns the update, with the stop reason. */
  ended(reason: JsonObject): JsonObject {
    this.#questions.clear();
    this.#runningCalls.clear();
    this.#hasOwnWork = false;
    return { ...this.#update("idle"), ...reason };
  }

  /** Applies a state of the agent's own: work that no prompt stands for, or a list of background work. */
  reported(update: JsonObject): JsonObject {
    const { state, background } = update;
    if (Array.isArray(background)) this.#background = background;
    if (state === "running") {
      this.#hasOwnWork = true;
      return this.started();
    }
    if (state !== "idle") return this.current();
    return this.ended(without(update, "sessionUpdate", "state", "background"));
  }

  /** A question to the user about a tool call, or about none. Returns the update of the state, if it changes. */
  asked(id: unknown, toolCallId: string | undefined): readonly JsonObject[] {
    if (this.#state === "idle" || this.#isInBackground(toolCallId)) return [];
    this.#questions.set(id, toolCallId);
    this.#wentOn = false;
    return this.#changed();
  }

  answered(id: unknown): readonly JsonObject[] {
    return this.#questions.delete(id) ? this.#changed() : [];
  }

  /** The agent sent a part of its answer. */
  wentOn(): readonly JsonObject[] {
    if (this.#state !== "requires_action") return [];
    this.#wentOn = true;
    return this.#changed();
  }

  /** A tool call has a new status. */
  called(toolCallId: string, status: unknown): readonly JsonObject[] {
    if (typeof status !== "string" || this.#state === "idle") return [];
    this.#runningCalls.delete(toolCallId);
    if (status === "in_progress" && !this.#isInBackground(toolCallId)) {
      this.#runningCalls.add(toolCallId);
      const [oldest] = this.#runningCalls;
      if (this.#runningCalls.size > MAX_CALLS && oldest !== undefined) {
        this.#runningCalls.delete(oldest);
      }
    }
    return this.#questions.size === 0 ? [] : this.#changed();
  }

  #changed(): readonly JsonObject[] {
    const state = this.#isBlocked() ? "requires_action" : "running";
    return state === this.#state ? [] : [this.#update(state)];
  }

  /** Whether nothing goes on until the user answers. */
  #isBlocked(): boolean {
    if (this.#questions.size === 0 || this.#wentOn) return false;
    const asked = new Set(this.#questions.values());
    return asked.has(undefined) || [...this.#runningCalls].every((id) => asked.has(id));
  }

  #isInBackground(id: string | undefined): boolean {
    return id !== undefined && this.#background?.some((item) => item["toolCallId"] === id) === true;
  }

  #update(state: State): JsonObject {
    this.#state = state;
    const background = this.#background === undefined ? {} : { background: this.#background };
    return { sessionUpdate: "state_update", state, ...background };
  }
}
