import type { Client, TurnEnd } from "../../../agent/index.ts";
import type { DemoTurn } from "../files.ts";

/** How a command can affect its process. */
export interface CommandContext {
  readonly exit: (code: number) => void;
}

export interface Command {
  readonly name: string;
  readonly description: string;
  readonly hint?: string;
  /** The capability of the client without which it only says so. */
  readonly needs?: Parameters<Client["can"]>[0];
  /** Runs it and returns how the turn ends. `undefined` means `end_turn`. */
  run(turn: DemoTurn, rest: string, context: CommandContext): Promise<TurnEnd>;
}

/** A command cannot go on. The message tells the user why, and `end` is how the turn ends. */
export class Explained extends Error {
  override readonly name = "Explained";
  readonly end: TurnEnd;

  constructor(message: string, end: TurnEnd = "end_turn") {
    super(message);
    this.end = end;
  }
}

/** The argument at an index as a number from 0 to `max`; the default if it is missing or invalid. */
export function numberAt(rest: string, index: number, fallback: number, max: number): number {
  const word = rest.split(/\s+/)[index];
  const given = word === undefined || word === "" ? fallback : Number(word);
  return Number.isFinite(given) ? Math.min(Math.max(0, Math.floor(given)), max) : fallback;
}

/** A command that only says something, and how the turn ends then. */
export function saying(
  name: string,
  description: string,
  text: string,
  end: TurnEnd = "end_turn",
): Command {
  return {
    name,
    description,
    async run(turn) {
      await turn.say(text);
      return end;
    },
  };
}
