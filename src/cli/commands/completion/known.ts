import { CATALOGUE } from "../../agents/catalogue.ts";
import {
  ALL_OPTIONS,
  COMMANDS,
  AGENT_ACTIONS,
  CHECK_WORDS,
  CONFIG_ACTIONS,
  FLEET_ACTIONS,
  HUB_ACTIONS,
  JOB_ACTIONS,
  SESSION_ACTIONS,
  type CommandName,
} from "../../shell/options/options.ts";

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type CompletionShell = (typeof SHELLS)[number];

export type Option = (typeof ALL_OPTIONS)[number];

/** The candidates for one word: fixed words, paths, sessions, or nothing that can be completed. */
export type Candidates = readonly string[] | "files" | "folders" | "sessions" | undefined;

/** The agents of the catalogue. */
export const AGENT_NAMES: readonly string[] = CATALOGUE.map(({ name }) => name);

export const COMMAND_NAMES: readonly CommandName[] = COMMANDS.map(({ name }) => name);

/** The candidates for the word after a command. */
export const AFTER_COMMAND: Partial<Record<CommandName, Candidates>> = {
  agents: AGENT_ACTIONS,
  sessions: SESSION_ACTIONS,
  config: CONFIG_ACTIONS,
  doctor: AGENT_NAMES,
  check: CHECK_WORDS,
  hub: HUB_ACTIONS,
  jobs: JOB_ACTIONS,
  fleet: FLEET_ACTIONS,
  inspect: "files",
  replay: "files",
  completion: SHELLS,
  help: COMMAND_NAMES,
};

/** The actions of `sessions` that are followed by a session. */
export const WITH_SESSION: readonly string[] = SESSION_ACTIONS.filter(
  (action) => action !== "list" && action !== "prune",
);

/** The options that a command accepts. */
export function optionsOf(command: CommandName): readonly Option[] {
  return ALL_OPTIONS.filter(({ on }) => on.includes(command));
}

/** An option's spellings: its letter, if it has one, and its name. */
export function spellings({ name, short }: Option): readonly string[] {
  return short === undefined ? [`--${name}`] : [`-${short}`, `--${name}`];
}

/** The candidates for an option's value. */
export function valuesOf({ name, value, words }: Option): Candidates {
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
