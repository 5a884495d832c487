import { setTimeout as sleep } from "node:timers/promises";
import { RpcCode } from "../../../../transport/rpc/index.ts";
import type { Channel, RecordedLine } from "../../../../transport/wire/index.ts";
import { CliError } from "../../shell/exit.ts";
import { asObject, parseJsonObject } from "../../../../base/index.ts";

interface PlayOptions {
  readonly stepMs: number;
  readonly realtime: boolean;
  /** Changes a line before it is sent, such as for a terminal. Default: lines stay as they are. */
  readonly encode?: ((line: string) => string) | undefined;
}

/**
 * Plays the agent's part of a recording: sends the agent's messages once the client has sent the
 * messages recorded before them. The client's messages may arrive in any order, but all must arrive.
 */
export class Player {
  readonly #channel: Channel;
  readonly #steps: readonly ReplayStep[];
  readonly #options: PlayOptions;
  /** The client's ids, by the ids in the recording. */
  readonly #ids = new Map<Id, Id>();
  /** Messages that a later step expects. */
  #received: MessageHead[] = [];
  #at = 0;
  #wake: () => void = () => {};
  #closed = false;
  /** How many answers to unexpected calls wait for the client. */
  #unwritten = 0;

  constructor(channel: Channel, steps: readonly ReplayStep[], options: PlayOptions) {
    this.#channel = channel;
    this.#steps = steps;
    this.#options = options;
  }

  /** Resolves when everything was played and the client has disconnected. Rejects with a CliError. */
  async play(): Promise<void> {
    void this.#channel.closed.then(() => {
      this.#closed = true;
      this.#wake();
    });
    this.#channel.open((line) => this.#receive(line));
    let before = this.#steps[0]?.ms ?? 0;
    for (const step of this.#steps) {
      if (step.kind === "expect") await this.#expect(step);
      else {
        if (this.#options.realtime) await sleep(Math.max(0, step.ms - before));
        await this.#send(step);
      }
      before = step.ms;
      this.#at++;
    }
    for (const message of this.#received.splice(0)) this.#answerUnexpected(message);
    await this.#channel.closed;
  }

  /** Resolves when the client can take more. */
  #send({ line, answers }: Extract<ReplayStep, { kind: "send" }>): Promise<void> {
    const id = answers === undefined ? undefined : this.#ids.get(answers);
    return this.#write(id === undefined ? line : withId(line, id));
  }

  async #expect(step: Extract<ReplayStep, { kind: "expect" }>): Promise<void> {
    const deadline = Date.now() + this.#options.stepMs;
    for (;;) {
      const index = this.#received.findIndex((message) => matches(step, message));
      const [message] = index === -1 ? [] : this.#received.splice(index, 1);
      if (message !== undefined) {
        if (step.id !== undefined && message.id !== undefined) this.#ids.set(step.id, message.id);
        return;
      }
      const where = `step ${this.#at + 1} of ${this.#steps.length}`;
      if (this.#closed) {
        throw new CliError("agentError", {
          what: `the client disconnected at ${where}, before ${describeStep(step)}`,
        });
      }
      const left = deadline - Date.now();
      if (left <= 0) {
        const seconds = this.#options.stepMs / 1000;
        throw new CliError("timeout", {
          what: `${where}: ${describeStep(step)} did not arrive within ${seconds} s`,
          hint: "--step-timeout",
        });
      }
      await this.#waitForChange(left);
    }
  }

  /** Resolves when a message arrives or the client disconnects, and after `ms` at the latest. */
  #waitForChange(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #receive(line: string): void {
    const message = readHead(line);
    if (message === undefined) return;
    const expected = this.#steps
      .slice(this.#at)
      .some((step) => step.kind === "expect" && matches(step, message));
    if (expected) this.#received.push(message);
    else this.#answerUnexpected(message);
    this.#wake();
  }

  /**
   * Answers a call that is not in the recording with an error. A client that does not read the answers
   * is not read from either.
   */
  #answerUnexpected({ method, id }: MessageHead): void {
    if (method === undefined || id === undefined) return;
    const error = {
      code: RpcCode.methodNotFound,
      message: `The recording has no further ${method}`,
    };
    if (this.#unwritten++ === 0) this.#channel.pause();
    void this.#write(JSON.stringify({ jsonrpc: "2.0", id, error })).then(() => {
      if (--this.#unwritten === 0) this.#channel.resume();
    });
  }

  /** Never rejects: `closed` reports a client that has disconnected. */
  async #write(line: string): Promise<void> {
    const { encode = (same) => same } = this.#options;
    await this.#channel.send(encode(line)).catch(() => {});
  }
}

/** One line of a recording, seen from the agent's side. */
type ReplayStep =
  /** A line to send. `answers` is the recorded id of the call that it answers. */
  | {
      readonly kind: "send";
      readonly line: string;
      readonly answers: Id | undefined;
      readonly ms: number;
    }
  /** A message expected from the client: a call or notification by its method, an answer by its id. */
  | {
      readonly kind: "expect";
      readonly method: string | undefined;
      readonly id: Id | undefined;
      readonly ms: number;
    };

type Id = string | number;

interface MessageHead {
  readonly method: string | undefined;
  readonly id: Id | undefined;
}

/** The steps of a recording, in order. Lines from the client that are not messages are left out. */
export function stepsOf(lines: readonly RecordedLine[]): readonly ReplayStep[] {
  return lines.flatMap(({ ms, direction, line }): ReplayStep[] => {
    const head = readHead(line);
    if (direction === "in") {
      const isAnswer = head !== undefined && head.method === undefined;
      return [{ kind: "send", line, answers: isAnswer ? head.id : undefined, ms }];
    }
    return head === undefined ? [] : [{ kind: "expect", ...head, ms }];
  });
}

function readHead(line: string): MessageHead | undefined {
  const { method, id } = asObject(parseJsonObject(line));
  const isId = typeof id === "string" || typeof id === "number";
  if (typeof method !== "string" && !isId) return undefined;
  return {
    method: typeof method === "string" ? method : undefined,
    id: isId ? id : undefined,
  };
}

function withId(line: string, id: Id): string {
  return JSON.stringify({ ...parseJsonObject(line), id });
}

/** Whether a message is the one that a step expects. Ids of calls may differ; ids of answers may not. */
function matches(step: Extract<ReplayStep, { kind: "expect" }>, message: MessageHead): boolean {
  if (step.method !== message.method) return false;
  if (step.method === undefined) return step.id === message.id;
  return (step.id === undefined) === (message.id === undefined);
}

function describeStep(step: Extract<ReplayStep, { kind: "expect" }>): string {
  return step.method ?? `the answer to request ${step.id ?? "?"}`;
}
