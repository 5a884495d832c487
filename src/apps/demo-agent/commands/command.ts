import type { TurnEnd } from "../../../agent/index.ts";
import type { DemoTurn } from "../files.ts";

/** How a command can affect its process. */
interface CommandContext {
  /** Ends the process without sending anything else. */
  readonly exit: (code: number) => void;
}

/** One slash command. */
export interface Command {
  readonly name: string;
  readonly description: string;
  /** Describes its arguments. */
  readonly hint?: string;
  /** Runs it and returns how the turn ends. `undefined` means `end_turn`. */
  run(turn: DemoTurn, rest: string, context: CommandContext): Promise<TurnEnd>;
}

/** The argument at an index as a number from 0 to `max`; the default if it is missing or invalid. */
export function numberAt(rest: string, index: number, fallback: number, max: number): number {
  const word = rest.split(/\s+/)[index];
  const given = word === undefined || word === "" ? fallback : Number(word);
  return Number.isFinite(given) ? Math.min(Math.max(0, Math.floor(given)), max) : fallback;
}

/** Explains that the client lacks a capability, and ends the turn as usual. */
export async function explainMissing(turn: DemoTurn, capability: string): Promise<void> {
  const hint = capability === "terminal" ? " `dragoman` advertises it with --exec." : "";
  await turn.say(`Your client does not advertise \`${capability}\`, so I cannot use it.${hint}`);
}
