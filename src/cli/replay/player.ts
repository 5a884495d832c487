import { setTimeout as sleep } from "node:timers/promises";
import { RpcCode } from "../../rpc/index.ts";
import type { Channel } from "../../wire/index.ts";
import { CliError } from "../exit.ts";
import { describeStep, fits, hear, withId, type Heard, type Id, type ReplayStep } from "./steps.ts";

export interface PlayOptions {
  /** How long the client may take for each message that is expected. */
  readonly stepMs: number;
  /** Keep the pauses of the recording. */
  readonly realtime: boolean;
}

/**
 * Plays the agent's part of a recording: says what the agent said, once the client has said what it
 * said then. Order among the client's messages is not insisted upon; that each of them comes, is.
 */
export class Player {
  readonly #channel: Channel;
  readonly #steps: readonly ReplayStep[];
  readonly #options: PlayOptions;
  /** The client's ids, by those of the recording. */
  readonly #ids = new Map<Id, Id>();
  #heard: Heard[] = [];
  #at = 0;
  #wake: () => void = () => {};
  #left = false;

  constructor(channel: Channel, steps: readonly ReplayStep[], options: PlayOptions) {
    this.#channel = channel;
    this.#steps = steps;
    this.#options = options;
  }

  /** Resolves when the recording has been played and the client has gone. Throws a CliError. */
  async play(): Promise<void> {
    void this.#channel.closed.then(() => {
      this.#left = true;
      this.#wake();
    });
    this.#channel.open((line) => this.#receive(line));
    let before = this.#steps[0]?.ms ?? 0;
    for (const step of this.#steps) {
      if (step.kind === "expect") await this.#expect(step);
      else {
        if (this.#options.realtime) await sleep(Math.max(0, step.ms - before));
        this.#say(step);
      }
      before = step.ms;
      this.#at++;
    }
    this.#refuseWaiting();
    await this.#channel.closed;
  }

  #say({ line, answers }: Extract<ReplayStep, { kind: "say" }>): void {
    const id = answers === undefined ? undefined : this.#ids.get(answers);
    void this.#channel.send(id === undefined ? line : withId(line, id));
  }

  async #expect(step: Extract<ReplayStep, { kind: "expect" }>): Promise<void> {
    const deadline = Date.now() + this.#options.stepMs;
    for (;;) {
      const index = this.#heard.findIndex((heard) => fits(step, heard));
      const [heard] = index === -1 ? [] : this.#heard.splice(index, 1);
      if (heard !== undefined) {
        if (step.id !== undefined && heard.id !== undefined) this.#ids.set(step.id, heard.id);
        return;
      }
      const where = `step ${this.#at + 1} of ${this.#steps.length}`;
      if (this.#left) {
        throw new CliError("agentError", {
          what: `the client left at ${where}, before ${describeStep(step)}`,
        });
      }
      const left = deadline - Date.now();
      if (left <= 0) {
        const seconds = this.#options.stepMs / 1000;
        throw new CliError("timeout", {
          what: `${where}: ${describeStep(step)} did not come within ${seconds} s`,
          hint: "--step-timeout",
        });
      }
      await this.#news(left);
    }
  }

  /** Resolves when something has come, or when the time is over. */
  #news(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #receive(line: string): void {
    const heard = hear(line);
    if (heard === undefined) return;
    const expected = this.#steps
      .slice(this.#at)
      .some((step) => step.kind === "expect" && fits(step, heard));
    if (expected) this.#heard.push(heard);
    else this.#refuse(heard);
    this.#wake();
  }

  /** A call that the recording does not have still gets its answer. */
  #refuse({ method, id }: Heard): void {
    if (method === undefined || id === undefined) return;
    const error = {
      code: RpcCode.methodNotFound,
      message: `The recording has no further ${method}`,
    };
    void this.#channel.send(JSON.stringify({ jsonrpc: "2.0", id, error }));
  }

  #refuseWaiting(): void {
    for (const heard of this.#heard.splice(0)) this.#refuse(heard);
  }
}
