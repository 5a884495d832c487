import type { JsonObject } from "../../../base/index.ts";

/** How a prompt ended: the idle state that ended it. */
export interface EndedPrompt {
  readonly id: unknown;
  readonly idle: JsonObject;
}

interface OpenPrompt {
  readonly id: unknown;
  /** The id of the user's message, once the agent has answered with it. */
  messageId: string | undefined;
}

/** An agent may show any number of messages during a turn. */
const KEPT_MESSAGES = 1000;

/**
 * Decides when the prompts of one session are over. In v2 the answer to a prompt only says that the
 * message is part of the conversation; the work ends with an idle state of the whole session.
 *
 * A prompt ends with the first change from busy to idle after its message was shown, once it is answered
 * too. An agent that never shows the message ends it with the first such change after the answer. An
 * idle state that repeats an idle one ends nothing.
 */
export class PromptTracker {
  #busy = false;
  readonly #open: OpenPrompt[] = [];
  /** User messages since the oldest open prompt, with the idle state that followed each. */
  readonly #shown = new Map<string, JsonObject | undefined>();

  sent(id: unknown): void {
    this.#open.push({ id, messageId: undefined });
  }

  /** Whether the agent has accepted the prompt, so that only `session/cancel` can end it. */
  isAccepted(id: unknown): boolean {
    return this.#open.some((prompt) => prompt.id === id && prompt.messageId !== undefined);
  }

  /** A message of the user appeared. True if it belongs to an open prompt. */
  userMessage(messageId: string): boolean {
    if (this.#open.length === 0) return false;
    if (!this.#shown.has(messageId)) this.#shown.set(messageId, undefined);
    const [oldest] = this.#shown.keys();
    if (this.#shown.size > KEPT_MESSAGES && oldest !== undefined) this.#shown.delete(oldest);
    return true;
  }

  /** The agent answered a prompt with the id of its message. Returns the prompts that end with it. */
  accepted(id: unknown, messageId: string): readonly EndedPrompt[] {
    const prompt = this.#open.find((open) => open.id === id);
    if (!prompt) return [];
    prompt.messageId = messageId;
    return this.#takeEnded();
  }

  /** The agent refused a prompt, or the client withdrew it. */
  refused(id: unknown): void {
    const index = this.#open.findIndex((open) => open.id === id);
    if (index !== -1) this.#open.splice(index, 1);
    this.#forgetShown();
  }

  /** The state of the session changed, or was repeated. Returns the prompts that end with it. */
  state(update: JsonObject): readonly EndedPrompt[] {
    const wasBusy = this.#busy;
    // An unknown state counts as busy.
    this.#busy = update["state"] !== "idle";
    if (!wasBusy || this.#busy) return [];
    for (const [messageId, idle] of this.#shown) {
      if (idle === undefined) this.#shown.set(messageId, update);
    }
    for (const { messageId } of this.#open) {
      if (messageId !== undefined && !this.#shown.has(messageId))
        this.#shown.set(messageId, update);
    }
    return this.#takeEnded();
  }

  #takeEnded(): readonly EndedPrompt[] {
    const ended: EndedPrompt[] = [];
    const open = this.#open.splice(0);
    for (const prompt of open) {
      const idle = prompt.messageId === undefined ? undefined : this.#shown.get(prompt.messageId);
      if (idle === undefined) this.#open.push(prompt);
      else ended.push({ id: prompt.id, idle });
    }
    this.#forgetShown();
    return ended;
  }

  #forgetShown(): void {
    if (this.#open.length === 0) this.#shown.clear();
  }
}
