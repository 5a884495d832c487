import { RestartableTimer, sanitizeLine } from "../../base/index.ts";
import { NotAnAgentError } from "../errors.ts";
import type { AgentConnection } from "./connection.ts";
import { isTimeoutSet, LONGEST_TIMER_MS } from "./timeouts.ts";

const MAX_LINES = 20;
const MAX_LINE_CHARS = 500;

/** An agent may print a banner and then load for ten seconds. */
const SILENT_SHARE = 0.25;

/**
 * The lines of a starting agent that are not messages. If they are followed by silence, the program is
 * probably not an agent, and the connection is closed; `StartError` has the rule.
 */
export interface StartOutput {
  readonly text: string;
  /** Set if the connection was closed because of the silence. */
  readonly failure: NotAnAgentError | undefined;
  add(line: string): void;
  /** The agent has started, or failed to. */
  end(): void;
}

export function startOutput(startMs: number, connection: () => AgentConnection): StartOutput {
  return new WatchedOutput(startMs, connection);
}

class WatchedOutput implements StartOutput {
  failure: NotAnAgentError | undefined;
  readonly #ms: number;
  readonly #connection: () => AgentConnection;
  readonly #hasLimit: boolean;
  readonly #lines: string[] = [];
  #silence: RestartableTimer | undefined;
  #ended = false;

  constructor(startMs: number, connection: () => AgentConnection) {
    this.#ms = Math.min(Math.ceil(startMs * SILENT_SHARE), LONGEST_TIMER_MS);
    this.#hasLimit = isTimeoutSet(startMs);
    this.#connection = connection;
  }

  get text(): string {
    return this.#lines.join("\n");
  }

  add(line: string): void {
    if (this.#ended) return;
    this.#lines.push(sanitizeLine(line.slice(0, MAX_LINE_CHARS)));
    if (this.#lines.length > MAX_LINES) this.#lines.shift();
    if (this.#silence) this.#silence.restart();
    else if (this.#hasLimit) {
      this.#silence = new RestartableTimer(this.#ms, () => this.#afterSilence());
    }
  }

  end(): void {
    this.#ended = true;
    this.#silence?.stop();
  }

  #afterSilence(): void {
    const connection = this.#connection();
    if (connection.hasReceived) return;
    this.failure = new NotAnAgentError(this.#ms);
    void connection.close();
  }
}
