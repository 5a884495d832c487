import {
  type AgentTerminalChange,
  type AgentTerminalChunk,
  type AgentTerminalState,
  applyV2Update,
  createV2State,
} from "../../../acp/index.ts";
import { sanitise, sanitiseLine } from "../terminal/sanitise.ts";
import type { Style } from "../terminal/style.ts";

/** How much of the output is shown when a command ends: its last lines, each cut. */
const SHOWN_LINES = 20;
const SHOWN_CHARS = 500;

/** Follows the terminals on the agent's side. Bounded, as in a session. */
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
export function endedTerminal(terminal: AgentTerminalState, style: Style): readonly string[] {
  const { exit, output, terminalId, command, truncated } = terminal;
  const how =
    exit?.signal !== undefined
      ? `signal ${exit.signal}`
      : exit?.code === undefined
        ? "ended"
        : `exit code ${exit.code}`;
  const colour = how === "ended" ? "dim" : exit?.code === 0 ? "green" : "red";
  const lines = printed(output);
  const rest = lines.length - SHOWN_LINES;
  const before = `… ${truncated ? "more than " : ""}${rest} ${rest === 1 ? "line" : "lines"} before`;
  return [
    `${sanitiseLine(command ?? terminalId)} ${style(colour, `(${sanitiseLine(how)})`)}`,
    ...(rest > 0 ? [style("dim", `  ${before}`)] : []),
    ...lines.slice(-SHOWN_LINES).map((line) => style("dim", `  ${line}`)),
  ];
}

/** The lines as a terminal would leave them: a carriage return starts the line again. */
function printed(output: string): readonly string[] {
  const text = output.replace(/\r+\n/g, "\n").replace(/[^\n]*\r(?=[^\n])/g, "");
  const lines = sanitise(text.replace(/\r/g, "")).trimEnd().split("\n");
  return lines.map((line) => cut(line.replace(/[\t\u2028\u2029]/g, " ")));
}

function cut(line: string): string {
  return line.length > SHOWN_CHARS ? `${line.slice(0, SHOWN_CHARS)}…` : line;
}
