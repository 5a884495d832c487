import { resultLine, errorLine } from "../json/write.ts";
import { RpcCode, RpcError } from "../../../transport/rpc/index.ts";

/** A prompt of a client. */
export interface Prompt {
  /** The number of the client. */
  readonly client: number;
  /** Sends it to the agent. */
  readonly start: () => void | Promise<void>;
  /** Answers the client. `id` is filled in by the client. */
  readonly reply: (line: (id: string) => string) => void;
}

/** A prompt that the agent works on. */
export interface RunningPrompt {
  readonly client: number;
  readonly by: string;
  readonly startedAt: number;
}

/**
 * The order of prompts in a session. Prompts of one client pass as it sends them, because the agent
 * decides what it does with a second one. Prompts of other clients wait for their turn.
 */
export class PromptQueue {
  readonly #limit: number;
  readonly #running = new Set<RunningPrompt>();
  #waiting: Prompt[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  get isBusy(): boolean {
    return this.#running.size > 0;
  }

  get running(): readonly RunningPrompt[] {
    return [...this.#running];
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** Starts a prompt, now or later. Answers with an error if too many wait. */
  add(prompt: Prompt): void | Promise<void> {
    const isOwn = [...this.#running].every(({ client }) => client === prompt.client);
    if (isOwn && this.#waiting.length === 0) return prompt.start();
    if (this.#waiting.length >= this.#limit) {
      const error = new RpcError(RpcCode.invalidRequest, "Too many prompts wait for this session");
      return prompt.reply((id) => errorLine(id, error));
    }
    this.#waiting.push(prompt);
  }

  started(prompt: RunningPrompt): void {
    this.#running.add(prompt);
  }

  /** Starts the next prompt if the last running one has ended. */
  ended(prompt: RunningPrompt): void {
    this.#running.delete(prompt);
    if (this.#running.size === 0) void this.#waiting.shift()?.start();
  }

  /** Answers the waiting prompts of a client as cancelled. Returns whether there were any. */
  cancel(client: number): boolean {
    const own = this.#waiting.filter((prompt) => prompt.client === client);
    this.#waiting = this.#waiting.filter((prompt) => prompt.client !== client);
    for (const { reply } of own) reply((id) => resultLine(id, { stopReason: "cancelled" }));
    return own.length > 0;
  }

  /** Drops the waiting prompts of a client that is gone. */
  drop(client: number): void {
    this.#waiting = this.#waiting.filter((prompt) => prompt.client !== client);
  }
}
