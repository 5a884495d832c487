import { AGENT_NAMES } from "../../agents/catalogue.ts";
import type { Candidates, Grammar, TakenOption } from "../../shell/parse.ts";

/** The words, or the kind of words, that can follow the name of a command or an option. */
export type Offered = Exclude<Candidates, "agents" | "commands">;

/** The names of all commands. */
export function namesIn({ commands }: Grammar): readonly string[] {
  return commands.map(({ name }) => name);
}

/** The candidates for the word after a command. */
export function offeredAfter(grammar: Grammar, command: string): Offered {
  const next = grammar.named(command)?.next;
  if (next === "agents") return AGENT_NAMES;
  return next === "commands" ? namesIn(grammar) : next;
}

/** The one command with actions that a session follows. */
export function actionsWithSession({ commands }: Grammar): readonly string[] {
  return commands.flatMap(({ sessionAfter = [] }) => sessionAfter);
}

/** The options that a command accepts. */
export function optionsOf({ options }: Grammar, command: string): readonly TakenOption[] {
  return options.filter(({ on }) => on.includes(command));
}

/** An option's spellings: its letter, if it has one, and its name. */
export function spellings({ name, short }: TakenOption): readonly string[] {
  return short === undefined ? [`--${name}`] : [`-${short}`, `--${name}`];
}

/** The candidates for an option's value. */
export function valuesOf({ name, value, words }: TakenOption): Offered {
  if (words !== undefined) return words;
  if (name === "agent") return AGENT_NAMES;
  if (value === "FILE") return "files";
  if (name === "resume") return "sessions";
  return value === "DIR" ? "folders" : undefined;
}

/** Makes help text safe inside single quotes in a shell. */
export function quoted(text: string): string {
  return text.replaceAll("'", "’");
}
