import { nearest } from "../../../../base/index.ts";
import { EXIT, EXIT_MEANINGS, type ExitCode, usageError } from "../../shell/exit.ts";
import { print, type Io } from "../../shell/io.ts";
import { GROUPS } from "../../shell/options.ts";
import type { ActionTable, CommandEntry, Grammar, ParsedCommandLine } from "../../shell/parse.ts";

const LEFT = 28;

/** `dragoman help [COMMAND]` and `dragoman COMMAND --help`: prints the help of a command. */
export async function run(
  { command, words, values: { grammar } }: ParsedCommandLine,
  io: Io,
): Promise<ExitCode> {
  const about = command.name === "help" ? commandNamed(grammar, words) : command;
  const isMain = about === grammar.prompt || about.name === "help";
  await print(io, isMain ? mainHelp(grammar) : await commandHelp(grammar, about));
  return EXIT.done;
}

/** The command in `help COMMAND`. Throws a usage error if it does not exist. */
function commandNamed(grammar: Grammar, [word]: readonly string[]): CommandEntry {
  if (word === undefined || word === "prompt") return grammar.prompt;
  const command = grammar.named(word);
  if (command !== undefined) return command;
  const names = grammar.commands.map(({ name }) => name);
  throw usageError(`unknown command "${word}"`, nearest(word, names) ?? names.join(", "));
}

function mainHelp(grammar: Grammar): string {
  return [
    "Talk to any coding agent that speaks the Agent Client Protocol.",
    "",
    "Usage: dragoman [options] [--] [prompt]",
    "       dragoman COMMAND [options]",
    "",
    "The answer goes to stdout, everything else to stderr. Piped stdin is added to the",
    "prompt. @path and @https://... in the prompt become links that the agent can follow.",
    "",
    "Commands:",
    ...grammar.commands.map(({ usage, help }) => row(usage, help, 40)),
    "",
    ...optionHelp(grammar, "prompt"),
    "Exit codes:",
    ...EXIT_MEANINGS.map(([code, meaning]) => row(String(code), meaning, 5)),
    "",
    "Examples:",
    '  dragoman "what does this project do?"',
    '  git diff | dragoman -a claude "review this change"',
    '  dragoman -a gemini --write "add a test for @src/parse.ts"',
    '  dragoman -o events "list the open questions" | jq -r .type',
    "",
  ].join("\n");
}

async function commandHelp(grammar: Grammar, command: CommandEntry): Promise<string> {
  const { name, usage, help, actions = {}, details = [] } = command;
  return [
    `dragoman ${usage}: ${help}`,
    "",
    ...paragraph(actionHelp(actions)),
    ...paragraph(typeof details === "function" ? await details() : details),
    ...optionHelp(grammar, name),
  ].join("\n");
}

function paragraph(lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [...lines, ""];
}

function actionHelp(actions: ActionTable): readonly string[] {
  const lefts = Object.entries(actions).map(([name, { usage = "" }]) =>
    name === "" ? "(nothing)" : `${name} ${usage}`.trimEnd(),
  );
  const width = Math.max(...lefts.map(({ length }) => length)) + 3;
  return Object.values(actions).map(({ help }, index) => row(lefts[index] ?? "", help, width));
}

function optionHelp(grammar: Grammar, command: string): string[] {
  return GROUPS.flatMap((group) => {
    const options = grammar.options.filter(
      (option) => option.group === group && option.on.includes(command),
    );
    if (options.length === 0) return [];
    return [
      `${group}:`,
      ...options.map(({ name, short, value, help }) => {
        const flag = `${short === undefined ? "    " : `-${short}, `}--${name}`;
        return row(value === undefined ? flag : `${flag} ${value}`, help, LEFT);
      }),
      "",
    ];
  });
}

function row(left: string, right: string, width: number): string {
  return `  ${left.padEnd(width)}${left.length >= width ? " " : ""}${right}`;
}
