import { RestartableTimer } from "../../../base/index.ts";
import type { AgentLink } from "../agent/link.ts";

/** The replay goes on until nothing has arrived for this long. */
const SILENCE_MS = 300;

/** The updates with which a new process repeats a conversation that the clients know already. */
export class Replay {
  readonly connection: AgentLink;
  #timer: RestartableTimer | undefined;

  constructor(connection: AgentLink) {
    this.connection = connection;
  }

  /** An update of the replay arrived. */
  arrived(): void {
    this.#timer?.restart();
  }

  /**
   * Waits for the rest of a replay after the agent has answered: Gemini CLI 0.61.0 answers before it has
   * replayed everything.
   */
  silence(): Promise<void> {
    return new Promise((resolve) => {
      this.#timer = new RestartableTimer(SILENCE_MS, resolve);
    });
  }
}
