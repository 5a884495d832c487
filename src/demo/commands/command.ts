import type { StopReason } from "../../acp/index.ts";
import type { DemoTurn } from "../files.ts";

/** What commands may do to the process they run in. */
export interface CommandContext {
  /** Ends the process without another word. */
  readonly exit: (code: number) => void;
}

/** One slash command: what it is called, and what it sends. */
export interface Command {
  readonly name: string;
  readonly description: string;
  /** What may stand behind it. */
  readonly hint?: string;
  /** Runs it; nothing means `end_turn`. */
  run(turn: DemoTurn, rest: string, surroundings: CommandContext): Promise<StopReason | void>;
}

/** The n-th word behind a command as a number within bounds; the default where there is none. */
export function numberAt(rest: string, index: number, or: number, most: number): number {
  const word = rest.split(/\s+/)[index];
  const given = word === undefined || word === "" ? or : Number(word);
  return Number.isFinite(given) ? Math.min(Math.max(0, Math.floor(given)), most) : or;
}

/** Says why something cannot be shown, and ends the turn as usual. */
export async function without(turn: DemoTurn, capability: string): Promise<void> {
  const how = capability === "terminal" ? " The command `dragoman` does so with --exec." : "";
  await turn.say(`Your client does not advertise \`${capability}\`, so I must not use it.${how}`);
}
