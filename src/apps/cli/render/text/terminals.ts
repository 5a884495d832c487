import {
  type AgentTerminalChange,
  type AgentTerminalChunk,
  type AgentTerminalState,
  applyV2Update,
  createV2State,
} from "../../../../protocol/acp/index.ts";
import { sanitiseLine } from "../terminal/sanitise.ts";
import type { Style } from "../terminal/style.ts";
import { LAST_LINES, outputLines, type OutputLimits } from "./output.ts";

/** Follows terminals, on the agent's side or on this one. Bounded, as in a session. */
export class TerminalProgress {
  readonly #state = createV2State();

  /** Applies an update. Returns the terminal if its command has just ended. */
  take(update: AgentTerminalChange | AgentTerminalChunk): AgentTerminalState | undefined {
    const { terminals } = this.#state;
    const wasOver = terminals.get(update.terminalId)?.exit !== undefined;
    applyV2Update(this.#state, update);
    const terminal = terminals.get(update.terminalId);
    return wasOver || terminal?.exit === undefined ? undefined : terminal;
  }

  /** The name of a terminal for people, safe to print. */
  nameOf(terminalId: string): string {
    const command = this.#state.terminals.get(terminalId)?.command;
    return sanitiseLine(command ?? terminalId);
  }
}

/** How a command ended and the end of its output, in lines that are safe to print. Pure. */
export function endedTerminal(
  { exit, output, terminalId, command, truncated }: AgentTerminalState,
  style: Style,
  limits: OutputLimits = LAST_LINES,
): readonly string[] {
  const how =
    exit?.signal !== undefined
      ? `signal ${exit.signal}`
      : exit?.code === undefined
        ? "ended"
        : `exit code ${exit.code}`;
  const colour = how === "ended" ? "dim" : exit?.code === 0 ? "green" : "red";
  return [
    `${sanitiseLine(command ?? terminalId)} ${style(colour, `(${sanitiseLine(how)})`)}`,
    ...outputLines(output, style, { limits, truncated }),
  ];
}
