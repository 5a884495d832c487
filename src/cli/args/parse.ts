import { parseArgs } from "node:util";
import { usageError, type CliError } from "../exit.ts";
import {
  ALL_OPTIONS,
  COMMANDS,
  type CommandName,
  type FlagName,
  type ListName,
  type OptionName,
  type TextName,
} from "./options.ts";
import { nearest } from "./suggest.ts";

/** The values given for each option, by name. */
export class Values {
  readonly #texts = new Map<OptionName, string[]>();
  readonly #flags = new Set<OptionName>();

  set(name: OptionName, value: string | undefined): void {
    if (value === undefined) this.#flags.add(name);
    else this.#texts.set(name, [...(this.#texts.get(name) ?? []), value]);
  }

  flag(name: FlagName): boolean {
    return this.#flags.has(name);
  }

  /** The last value, if any: a later option overrides an earlier one. */
  text(name: TextName): string | undefined {
    return this.#texts.get(name)?.at(-1);
  }

  list(name: ListName): readonly string[] {
    return this.#texts.get(name) ?? [];
  }

  /** All options given, with their values. A switch has none. */
  given(): readonly (readonly [OptionName, string | undefined])[] {
    const texts = [...this.#texts].flatMap(([name, list]) =>
      list.map((value) => [name, value] as const),
    );
    return [...[...this.#flags].map((name) => [name, undefined] as const), ...texts];
  }

  /** The names of all options given. */
  names(): readonly OptionName[] {
    return [...this.#flags, ...this.#texts.keys()];
  }
}

export interface ParsedCommandLine {
  readonly command: CommandName;
  readonly values: Values;
  /** The arguments that are not options, without the command itself. */
  readonly words: readonly string[];
  /** Those of them that follow `--`. */
  readonly rest: readonly string[];
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
  return { command, values, words: [...words, ...after], rest: after };
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
    const where = option.on.map((name) => (name === "prompt" ? "a prompt" : name)).join(", ");
    throw usageError(`${given.rawName} does not apply to ${command}, only to ${where}`);
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

function unknownOption(rawName: string, command: CommandName): CliError {
  const names = ALL_OPTIONS.filter(({ on }) => on.includes(command)).map(({ name }) => name);
  // Compared without the dashes, which are always right and make short words look alike.
  const near = rawName.startsWith("--") ? nearest(rawName.slice(2), names) : undefined;
  const help = command === "prompt" ? "dragoman --help" : `dragoman help ${command}`;
  return usageError(
    `unknown option ${rawName}`,
    near === undefined ? `${help}, or -- before a prompt that starts with a dash` : `--${near}`,
  );
}
