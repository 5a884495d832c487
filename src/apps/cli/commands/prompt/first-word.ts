import { editDistance } from "../../../../base/index.ts";
import { AGENT_NAMES } from "../../agents/catalogue.ts";
import { usageError, type CliError } from "../../shell/exit.ts";
import { type CommandEntry, type Grammar, wordsAfter } from "../../shell/parse.ts";

/** Everything besides the words that decides whether they can be a prompt. */
export interface PromptFacts {
  /** Whether there is more text, from stdin or a file, to which the words may refer. */
  readonly hasText: boolean;
  /** Whether the words continue a conversation, in which one word can be enough. */
  readonly continues: boolean;
}

/** A word that other command lines have as a command. */
interface ForeignCommand {
  readonly words: readonly string[];
  /** The words that it takes: none, an agent, or one text of any length. It can always stand alone. */
  readonly takes: "nothing" | "agent" | "text";
  readonly instead: (argument: string | undefined) => string;
}

const FOREIGN_NOUNS: readonly ForeignCommand[] = [
  { words: ["version"], takes: "nothing", instead: () => "dragoman --version" },
  {
    words: ["model", "models"],
    takes: "agent",
    instead: (agent) => `dragoman ${agent === undefined ? "" : `-a ${agent} `}--list-models`,
  },
  {
    words: ["login", "logout", "signin", "auth", "whoami"],
    takes: "agent",
    instead: (agent) => `dragoman doctor${agent === undefined ? "" : ` ${agent}`}`,
  },
  {
    words: ["exec", "prompt"],
    takes: "text",
    instead: (text) => `dragoman ${JSON.stringify(text ?? "a question")}`,
  },
  { words: ["mcp"], takes: "nothing", instead: () => "dragoman config path" },
];

/** These make sense as a request about other text, such as `cat notes | dragoman update`. */
const FOREIGN_VERBS: readonly ForeignCommand[] = [
  ...[
    { words: ["install"], action: "install" },
    { words: ["update", "upgrade"], action: "update" },
    { words: ["uninstall"], action: "remove" },
  ].map(({ words, action }): ForeignCommand => {
    const instead = (agent = "NAME"): string => `dragoman agents ${action} ${agent}`;
    return { words, takes: "agent", instead };
  }),
  ...[
    { words: ["export"], instead: "dragoman sessions export ID" },
    { words: ["init", "setup"], instead: "dragoman config" },
    { words: ["list", "ls"], instead: "dragoman agents, dragoman sessions list" },
    { words: ["resume", "continue"], instead: 'dragoman -c "a question"' },
  ].map(({ words, instead }): ForeignCommand => {
    return { words, takes: "nothing", instead: () => instead };
  }),
];

/**
 * The error for words that look like a command which does not exist; undefined if they are a prompt.
 * Pure. docs/cli.md has the rule with examples. Unclear words count as a prompt: a sentence never has the
 * form of a command with arguments that fit it.
 */
export function commandLike(
  grammar: Grammar,
  words: readonly string[],
  facts: PromptFacts,
): CliError | undefined {
  const [first = "", ...rest] = words;
  if (!/^[a-z]+$/.test(first)) return undefined;
  const instead =
    insteadOfForeign(first, rest, facts) ?? insteadOfMisspelt(grammar, first, rest, facts);
  if (instead === undefined) return undefined;
  const typed = words.map((word) => (/\s/.test(word) ? JSON.stringify(word) : word)).join(" ");
  return usageError(
    `"${first}" looks like a command, so nothing was sent`,
    `${instead}, or dragoman -- ${typed} to send it as a prompt`,
  );
}

function insteadOfForeign(
  word: string,
  rest: readonly string[],
  { hasText, continues }: PromptFacts,
): string | undefined {
  const verb = FOREIGN_VERBS.find(({ words }) => words.includes(word));
  const foreign = verb ?? FOREIGN_NOUNS.find(({ words }) => words.includes(word));
  if (foreign === undefined || rest.length > 1) return undefined;
  const [argument] = rest;
  if (argument === undefined) {
    const isRequest = continues || (hasText && verb !== undefined);
    return isRequest ? undefined : foreign.instead(undefined);
  }
  const fits =
    foreign.takes === "text" || (foreign.takes === "agent" && AGENT_NAMES.includes(argument));
  return fits ? foreign.instead(argument) : undefined;
}

function insteadOfMisspelt(
  grammar: Grammar,
  word: string,
  rest: readonly string[],
  { hasText, continues }: PromptFacts,
): string | undefined {
  const command = grammar.commands.find(({ name }) => isMisspelt(word, name));
  if (command === undefined) return undefined;
  const isAlone = rest.length === 0 && !hasText && !continues;
  return isAlone || fits(grammar, command, rest)
    ? ["dragoman", command.name, ...rest].join(" ")
    : undefined;
}

/** Short names are one letter away from many other words, so fewer mistakes count for them. */
const SHORT = 5;

function isMisspelt(word: string, name: string): boolean {
  if (word === name) return false;
  if (name.length > SHORT) return editDistance(word, name) === 1;
  const isSwapped = word.length === name.length && sorted(word) === sorted(name);
  return (isSwapped && editDistance(word, name) === 1) || word.replace(/(.)\1/, "$1") === name;
}

function sorted(word: string): string {
  return word.split("").toSorted().join("");
}

/** Whether a command would take these words. A name or an id after an action has a digit in it. */
function fits({ commands }: Grammar, command: CommandEntry, rest: readonly string[]): boolean {
  const [first, second, ...more] = rest;
  const next = wordsAfter(command);
  if (first === undefined || next === undefined || more.length > 0) return false;
  if (next === "files") return second === undefined && first.endsWith(".jsonl");
  const names = { agents: AGENT_NAMES, commands: commands.map(({ name }) => name) };
  const candidates =
    next === "agents" || next === "commands" ? names[next] : typeof next === "string" ? [] : next;
  if (!candidates.includes(first)) return false;
  return second === undefined || /\d/.test(second) || AGENT_NAMES.includes(second);
}
