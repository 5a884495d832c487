import { parseArgs } from "node:util";
import { usageError, type CliError } from "./exit.ts";
import {
  ALL_OPTIONS,
  COMMANDS,
  type CommandName,
  type FlagName,
  type ListName,
  type OptionName,
  type TextName,
} from "./options/options.ts";
import { nearest } from "./suggest.ts";

/**
 * Where values come from, the strongest first: the command line, variables, the settings of the chosen
 * agent, and the settings for every run.
 */
const ORIGINS = ["flag", "environment", "agent", "settings"] as const;
export type Origin = (typeof ORIGINS)[number];

/** The values of each option, by name. A flag overrides a variable, and that overrides the settings. */
export class Values {
  /** By name and origin. The values of a switch are empty. */
  readonly #given = new Map<OptionName, Partial<Record<Origin, readonly string[]>>>();

  set(name: OptionName, value: string | undefined, origin: Origin = "flag"): void {
    const all = this.#given.get(name) ?? {};
    const more = value === undefined ? [] : [value];
    this.#given.set(name, { ...all, [origin]: [...(all[origin] ?? []), ...more] });
  }

  flag(name: FlagName): boolean {
    return this.#given.has(name);
  }

  /** The last value of the strongest origin, if any: a later option overrides an earlier one. */
  text(name: TextName): string | undefined {
    const origin = this.origin(name);
    return origin === undefined ? undefined : this.#given.get(name)?.[origin]?.at(-1);
  }

  /** All values, those of the strongest origin last. */
  list(name: ListName): readonly string[] {
    const all = this.#given.get(name) ?? {};
    return ORIGINS.toReversed().flatMap((origin) => all[origin] ?? []);
  }

  /** Where the value of an option comes from; undefined if it has none. */
  origin(name: OptionName): Origin | undefined {
    const all = this.#given.get(name) ?? {};
    return ORIGINS.find((origin) => all[origin] !== undefined);
  }

  /** The options with values of their own for this origin. */
  names(origin: Origin = "flag"): readonly OptionName[] {
    return [...this.#given].flatMap(([name, all]) => (all[origin] === undefined ? [] : [name]));
  }

  /** The values that one origin gives for an option. */
  of(name: OptionName, origin: Origin = "flag"): readonly string[] {
    return this.#given.get(name)?.[origin] ?? [];
  }

  /** All options of the command line, with their values. A switch has none. */
  given(): readonly (readonly [OptionName, string | undefined])[] {
    return this.names().flatMap((name) => {
      const values: readonly (string | undefined)[] = this.of(name);
      return (values.length === 0 ? [undefined] : values).map((value) => [name, value] as const);
    });
  }

  /** The same values, to which others can be added. */
  copy(): Values {
    const copy = new Values();
    for (const [name, all] of this.#given) copy.#given.set(name, all);
    return copy;
  }
}

export interface ParsedCommandLine {
  readonly command: CommandName;
  readonly values: Values;
  /** The arguments that are not options, without the command itself. */
  readonly words: readonly string[];
  /** Those of them that follow `--`. */
  readonly rest: readonly string[];
  /** Whether there is a `--`, which makes everything after it prompt text. */
  readonly isLiteral: boolean;
}

const COMMAND_NAMES = new Set<string>(COMMANDS.map(({ name }) => name));

function isCommand(word: string | undefined): word is CommandName {
  return word !== undefined && COMMAND_NAMES.has(word);
}

/**
 * Parses the arguments. Everything after `--` is prompt text, and so are the words if the first is
 * not a command. Throws a usage error with a one-line message.
 */
export function parseArguments(argv: readonly string[]): ParsedCommandLine {
  const end = argv.indexOf("--");
  const before = end === -1 ? argv : argv.slice(0, end);
  const after = end === -1 ? [] : argv.slice(end + 1);
  const { tokens } = parseArgs({
    args: withoutLeftOutValues(before),
    options: Object.fromEntries(ALL_OPTIONS.map((option) => [option.name, parserOption(option)])),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });

  const values = new Values();
  const words: string[] = [];
  const given: Given[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") words.push(token.value);
    else if (token.kind === "option") given.push(token);
  }
  const [first] = words;
  const command = isCommand(first) ? first : "prompt";
  if (command !== "prompt") words.shift();
  for (const option of given) values.set(...checked(option, command));
  const isLiteral = end !== -1;
  return { command, values, words: [...words, ...after], rest: after, isLiteral };
}

const OPTIONAL = new Set(
  ALL_OPTIONS.filter(({ optional }) => optional).map(({ name }) => `--${name}`),
);

/** Gives an option whose value was left out the empty text, because the parser would take the next option. */
function withoutLeftOutValues(words: readonly string[]): string[] {
  return words.map((word, index) => {
    const isLeftOut = OPTIONAL.has(word) && /^(?:-.*)?$/s.test(words[index + 1] ?? "");
    return isLeftOut ? `${word}=` : word;
  });
}

interface Given {
  readonly name: string;
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

function parserOption(option: { readonly value?: string; readonly short?: string }) {
  const type: "string" | "boolean" = option.value === undefined ? "boolean" : "string";
  return option.short === undefined ? { type } : { type, short: option.short };
}

function checked(given: Given, command: CommandName): [OptionName, string | undefined] {
  const option = ALL_OPTIONS.find(({ name }) => name === given.name);
  if (option === undefined) throw unknownOption(given.rawName, command);
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

/** Options of other command lines that people type out of habit, and what to use instead. */
const HABITS: Readonly<Record<string, string>> = {
  "-p": 'dragoman "a question": a prompt needs no flag',
  "--print": 'dragoman "a question": a prompt needs no flag',
  "--output-format": "-o text, -o result for one JSON object, or -o events for a stream of them",
  "--dangerously-skip-permissions": "--yolo",
};

function unknownOption(rawName: string, command: CommandName): CliError {
  const names = ALL_OPTIONS.filter(({ on }) => on.includes(command)).map(({ name }) => name);
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
