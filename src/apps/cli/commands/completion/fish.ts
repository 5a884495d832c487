import type { Grammar, TakenOption } from "../../shell/parse.ts";
import {
  actionsWithSession,
  namesIn,
  type Offered,
  offeredAfter,
  quoted,
  spellings,
  valuesOf,
} from "./known.ts";

export function fishScript(grammar: Grammar): string {
  const names = namesIn(grammar);
  const withSession = words(actionsWithSession(grammar));
  const takesValue = grammar.options.filter(({ value }) => value !== undefined).flatMap(spellings);
  const commands = grammar.commands.map(
    ({ name, help }) => `${complete("__dragoman_words 0")} -a ${name} -d '${quoted(help)}'`,
  );
  const withoutFiles = names.filter((name) => offeredAfter(grammar, name) !== "files");
  const next = names.flatMap((name) => {
    const candidates = offeredAfter(grammar, name);
    return candidates === undefined || typeof candidates === "string"
      ? []
      : [`${complete(`__dragoman_words 1; and ${on([name])}`)} -a '${words(candidates)}'`];
  });
  const sessions = `${complete(`__dragoman_words 2; and __dragoman_second ${withSession}`)} -a '${SESSIONS}'`;
  return `# dragoman completion for fish: dragoman completion fish | source
# The words before the cursor that are neither options nor their values.
function __dragoman_given
  set -l skip 0
  for word in (commandline -opc)[2..-1]
    if test $skip = 1
      set skip 0
    else if contains -- $word ${takesValue.join(" ")}
      set skip 1
    else if not string match -q -- '-*' $word
      echo $word
    end
  end
end
function __dragoman_words
  test (count (__dragoman_given)) = $argv[1]
end
function __dragoman_second
  set -l given (__dragoman_given)
  test "$given[1]" = sessions; and contains -- "$given[2]" $argv
end
function __dragoman_on
  set -l given (__dragoman_given)
  contains -- "$given[1]" $argv
end
${[...commands, `${complete(on(withoutFiles))} -f`, ...next, sessions, ...grammar.options.map((option) => optionLine(names, option))].join("\n")}
`;
}

function optionLine(commands: readonly string[], option: TakenOption): string {
  const { name, short, help, value } = option;
  const letter = short === undefined ? "" : ` -s ${short}`;
  const argument = value === undefined ? "" : ` ${argumentOf(valuesOf(option))}`;
  return `${complete(conditionOf(commands, option))}${letter} -l ${name}${argument} -d '${quoted(help)}'`;
}

/** When to offer an option. A prompt has no command word to test for, so other commands are excluded. */
function conditionOf(commands: readonly string[], option: TakenOption): string | undefined {
  if (!option.on.includes("prompt")) return on(option.on);
  const others = commands.filter((command) => !option.on.includes(command));
  return others.length === 0 ? undefined : `not ${on(others)}`;
}

function argumentOf(candidates: Offered): string {
  if (candidates === undefined) return "-x";
  if (candidates === "files") return "-r -F";
  if (candidates === "sessions") return `-x -a '${SESSIONS}'`;
  if (candidates === "folders") return "-x -a '(__fish_complete_directories)'";
  return `-x -a '${words(candidates)}'`;
}

/** Prints ids with descriptions, as fish expects them. */
const SESSIONS = "(dragoman completion sessions -- (commandline -opc)[2..-1] 2>/dev/null)";

function complete(condition: string | undefined): string {
  return `complete -c dragoman${condition === undefined ? "" : ` -n '${condition}'`}`;
}

function on(commands: readonly string[]): string {
  return `__dragoman_on ${commands.join(" ")}`;
}

function words(candidates: readonly string[]): string {
  return candidates.join(" ");
}
