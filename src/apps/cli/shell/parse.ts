import { parseArgs } from "node:util";
import { type CliError, type ExitCode, usageError } from "./exit.ts";
import type { Io } from "./io.ts";
import {
  type FlagName,
  GROUPS,
  type ListName,
  OPTION_WORDS,
  OPTIONS,
  optionsIn,
  type OptionSpec,
  type OptionTable,
  type SharedOption,
  type TextName,
} from "./options.ts";
import { nearest } from "../../../base/index.ts";

/**
 * Where values come from, the strongest first: the command line, variables, the settings of the chosen
 * agent, and the settings for every run.
 */
const ORIGINS = ["flag", "environment", "agent", "settings"] as const;
export type Origin = (typeof ORIGINS)[number];

/** By option and origin. The values of a switch are empty. */
type Given = Map<string, Partial<Record<Origin, readonly string[]>>>;

/**
 * The values of each option, by name. A flag overrides a variable, and that overrides the settings. The type has
 * the names of options that only one command has, for the code of that command.
 */
export class Values<
  in Flag extends string = never,
  in Text extends string = never,
  in List extends string = never,
> {
  readonly grammar: Grammar;
  readonly #given: Given;

  constructor(grammar: Grammar, given: Given = new Map()) {
    this.grammar = grammar;
    this.#given = given;
  }

  /** The same values, with the options of one command. */
  with<Own extends OptionTable>(
    _options: Own,
  ): Values<Flag | FlagName<Own>, Text | TextName<Own>, List | ListName<Own>> {
    return new Values(this.grammar, this.#given);
  }

  set(name: string, value: string | undefined, origin: Origin = "flag"): void {
    const all = this.#given.get(name) ?? {};
    const more = value === undefined ? [] : [value];
    this.#given.set(name, { ...all, [origin]: [...(all[origin] ?? []), ...more] });
  }

  flag(name: FlagName | Flag): boolean {
    return this.#given.has(name);
  }

  /** The last value of the strongest origin, if any: a later option overrides an earlier one. */
  text(name: TextName | Text): string | undefined {
    const origin = this.origin(name);
    return origin === undefined ? undefined : this.#given.get(name)?.[origin]?.at(-1);
  }

  /** All values, those of the strongest origin last. */
  list(name: ListName | List): readonly string[] {
    const all = this.#given.get(name) ?? {};
    return ORIGINS.toReversed().flatMap((origin) => all[origin] ?? []);
  }

  /** Where the value of an option comes from; undefined if it has none. */
  origin(name: string): Origin | undefined {
    const all = this.#given.get(name) ?? {};
    return ORIGINS.find((origin) => all[origin] !== undefined);
  }

  /** The options with values of their own for this origin. */
  names(origin: Origin = "flag"): readonly string[] {
    return [...this.#given].flatMap(([name, all]) => (all[origin] === undefined ? [] : [name]));
  }

  /** The values that one origin gives for an option. */
  of(name: string, origin: Origin = "flag"): readonly string[] {
    return this.#given.get(name)?.[origin] ?? [];
  }

  /** All options of the command line, with their values. A switch has none. */
  given(): readonly (readonly [string, string | undefined])[] {
    return this.names().flatMap((name) => {
      const values: readonly (string | undefined)[] = this.of(name);
      return (values.length === 0 ? [undefined] : values).map((value) => [name, value] as const);
    });
  }

  /** The same values, to which others can be added. */
  copy(): Values<Flag, Text, List> {
    return new Values(this.grammar, new Map(this.#given));
  }
}

export type ValuesWith<Own extends OptionTable> = Values<
  FlagName<Own>,
  TextName<Own>,
  ListName<Own>
>;

/** The candidates for one word: fixed words, or names that are known elsewhere. */
export type Candidates =
  | readonly string[]
  | "agents"
  | "commands"
  | "files"
  | "folders"
  | "sessions"
  | undefined;

/** Something that a command does, named by the word after the command. */
export interface ActionSpec {
  /** Its arguments as help shows them, such as `ID`. Default: it takes none. */
  readonly usage?: string;
  readonly help: string;
  /** Its only argument in words, such as "the id of one job". Without it, `usage` stands for any words. */
  readonly needs?: string;
  /** A command that tells the possible arguments. */
  readonly hint?: string;
  /** The options that only this action takes, or others that name them too. */
  readonly options?: readonly string[];
}

/** The actions by their names. The first is the one without a word; its name may be empty. */
export type ActionTable = Readonly<Record<string, ActionSpec>>;

/** What a command declares: parsing, help, completion and the manual follow from it. */
export interface CommandSpec {
  readonly name: string;
  readonly usage: string;
  readonly help: string;
  readonly actions?: ActionTable;
  /** The lines of its help between the actions and the options. */
  readonly details?: readonly string[] | (() => Promise<readonly string[]>);
  /** The options that it takes from the table, besides those that every command takes. */
  readonly takes: readonly SharedOption[];
  readonly own?: OptionTable;
  /** The possible values of those options, for completion. */
  readonly ownWords?: Readonly<Record<string, readonly string[]>>;
  /** The candidates for the word after the command. Default: its actions. */
  readonly next?: Candidates;
  /** The words after the command that are followed by a session. */
  readonly sessionAfter?: readonly string[];
}

/** A command with its code, which is loaded when it runs. */
export interface CommandEntry extends CommandSpec {
  readonly load: () => Promise<{
    readonly run: (line: ParsedCommandLine, io: Io) => Promise<ExitCode>;
  }>;
}

export interface TakenOption extends OptionSpec {
  readonly on: readonly string[];
  /** The possible values, for completion. */
  readonly words: readonly string[] | undefined;
}

export interface ParsedCommandLine {
  readonly command: CommandEntry;
  readonly values: Values;
  /** The arguments that are not options, without the command itself. */
  readonly words: readonly string[];
  /** Those of them that follow `--`. */
  readonly rest: readonly string[];
  /** Whether there is a `--`, which makes everything after it prompt text. */
  readonly isLiteral: boolean;
}

export function wordsAfter({ actions, next }: CommandSpec): Candidates {
  return next ?? (actions && Object.keys(actions).filter(Boolean));
}

/** The action that the words name, and the words after it. Throws a usage error. */
export function readAction<Name extends string>(
  { command: { name: command }, values, words }: ParsedCommandLine,
  actions: Readonly<Record<Name, ActionSpec>>,
): { readonly action: Name; readonly rest: readonly string[] } {
  const table: ActionTable = actions;
  const names = Object.keys(table);
  const [action = names[0] ?? "", ...rest] = words;
  if (!isAction(actions, action) || words[0] === "") {
    const known = names.filter(Boolean).join(", ");
    throw usageError(
      `unknown action "${action}" for ${command}`,
      `${known}; or dragoman -- ${command} ${words.join(" ")} to send it as a prompt`,
    );
  }
  const { usage, needs, hint } = actions[action];
  if (usage === undefined && rest.length > 0)
    throw usageError(`${command} ${action} takes no arguments, but got "${rest.join(" ")}"`);
  if (needs !== undefined && (rest.length !== 1 || rest[0] === ""))
    throw usageError(`${command} ${action} needs ${needs}`, hint);
  for (const option of values.names()) {
    const takers = names.filter((one) => table[one]?.options?.includes(option));
    if (takers.length === 0 || takers.includes(action)) continue;
    throw usageError(`--${option} is for ${command} ${takers.join(" and ")}, not for ${action}`);
  }
  return { action, rest };
}

function isAction<Name extends string>(
  actions: Readonly<Record<Name, ActionSpec>>,
  word: string,
): word is Name {
  return Object.hasOwn(actions, word);
}

const EVERYWHERE: readonly string[] = ["color", "help", "version"];

export class Grammar {
  /** Runs if the first word is not a command. */
  readonly prompt: CommandEntry;
  readonly commands: readonly CommandEntry[];
  readonly options: readonly TakenOption[];

  constructor(prompt: CommandEntry, commands: readonly CommandEntry[]) {
    this.prompt = prompt;
    this.commands = commands;
    const all = [prompt, ...commands].map(({ name, takes, own = {}, ownWords }) => {
      const ownOptions = optionsIn(own);
      const taken = new Set([...EVERYWHERE, ...takes, ...ownOptions.map((option) => option.name)]);
      return { name, ownOptions, taken, ownWords };
    });
    const words = Object.assign({}, OPTION_WORDS, ...all.map(({ ownWords }) => ownWords));
    const options = [...optionsIn(OPTIONS), ...all.flatMap(({ ownOptions }) => ownOptions)];
    const taken = options.map((option) => ({
      ...option,
      on: all.filter((command) => command.taken.has(option.name)).map(({ name }) => name),
      words: words[option.name],
    }));
    this.options = GROUPS.flatMap((group) => taken.filter((option) => option.group === group));
  }

  named(name: string | undefined): CommandEntry | undefined {
    return this.commands.find((command) => command.name === name);
  }

  option(name: string): TakenOption | undefined {
    return this.options.find((option) => option.name === name);
  }

  /**
   * Parses the arguments. Everything after `--` is prompt text, and so are the words if the first is
   * not a command. Throws a usage error with a one-line message.
   */
  parse(argv: readonly string[]): ParsedCommandLine {
    const end = argv.indexOf("--");
    const before = end === -1 ? argv : argv.slice(0, end);
    const after = end === -1 ? [] : argv.slice(end + 1);
    const { tokens } = parseArgs({
      args: this.#withoutLeftOutValues(before),
      options: Object.fromEntries(
        this.options.map((option) => [option.name, parserOption(option)]),
      ),
      strict: false,
      allowPositionals: true,
      tokens: true,
    });

    const values = new Values(this);
    const words: string[] = [];
    const given: GivenOption[] = [];
    for (const token of tokens) {
      if (token.kind === "positional") words.push(token.value);
      else if (token.kind === "option") given.push(token);
    }
    const named = this.named(words[0]);
    if (named !== undefined) words.shift();
    const command = named ?? this.prompt;
    for (const option of given) values.set(...this.#checked(option, command));
    const isLiteral = end !== -1;
    return { command, values, words: [...words, ...after], rest: after, isLiteral };
  }

  /** Gives an option whose value was left out the empty text, because the parser would take the next option. */
  #withoutLeftOutValues(words: readonly string[]): string[] {
    const optional = new Set(
      this.options.filter((option) => option.isOptional).map(({ name }) => `--${name}`),
    );
    return words.map((word, index) => {
      const isLeftOut = optional.has(word) && /^(?:-.*)?$/s.test(words[index + 1] ?? "");
      return isLeftOut ? `${word}=` : word;
    });
  }

  #checked(given: GivenOption, { name: command }: CommandEntry): [string, string | undefined] {
    const option = this.option(given.name);
    if (option === undefined) throw this.#unknownOption(given.rawName, command);
    if (!option.on.includes(command)) {
      const commandWord = command === "prompt" ? "a prompt" : command;
      const where = option.on.map((name) => (name === "prompt" ? "a prompt" : name)).join(", ");
      const hint = option.name === "prompt" ? HABITS["-p"] : undefined;
      throw usageError(`${given.rawName} does not apply to ${commandWord}, only to ${where}`, hint);
    }
    if (option.value === undefined) {
      if (given.value !== undefined) throw usageError(`${given.rawName} takes no value`);
      return [option.name, undefined];
    }
    const { value } = given;
    const looksLikeOption = given.inlineValue !== true && value !== undefined && /^-./.test(value);
    if (value === undefined || looksLikeOption) {
      throw usageError(
        `${given.rawName} needs a value (${option.value})`,
        looksLikeOption ? `${given.rawName}=${value} if that is the value` : undefined,
      );
    }
    return [option.name, value];
  }

  #unknownOption(rawName: string, command: string): CliError {
    const names = this.options.filter(({ on }) => on.includes(command)).map(({ name }) => name);
    // Compared without the dashes, which are always right and make short words look alike.
    const habit = HABITS[rawName];
    if (habit !== undefined) return usageError(`there is no ${rawName} here`, habit);
    const near = rawName.startsWith("--") ? nearest(rawName.slice(2), names) : undefined;
    const help = command === "prompt" ? "dragoman --help" : `dragoman help ${command}`;
    return usageError(
      `unknown option ${rawName}`,
      near === undefined ? `${help}, or -- before a prompt that starts with a dash` : `--${near}`,
    );
  }
}

interface GivenOption {
  readonly name: string;
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

function parserOption(option: OptionSpec) {
  const type: "string" | "boolean" = option.value === undefined ? "boolean" : "string";
  return option.short === undefined ? { type } : { type, short: option.short };
}

/** Options of other command lines that people type out of habit, and what to use instead. */
const HABITS: Readonly<Record<string, string>> = {
  "-p": 'dragoman "a question": a prompt needs no flag',
  "--print": 'dragoman "a question": a prompt needs no flag',
  "--output-format": "-o text, -o result for one JSON object, or -o events for a stream of them",
  "--dangerously-skip-permissions": "--yolo",
};
