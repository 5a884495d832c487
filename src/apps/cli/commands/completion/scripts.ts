import { type Grammar, type TakenOption, type Candidates, wordsAfter } from "../../shell/parse.ts";
import { AGENT_NAMES } from "../../agents/catalogue.ts";
import type { CompletionShell } from "./declaration.ts";

/** Works in bash 3.2, the version that macOS ships, and newer. */
function bashScript(grammar: Grammar): string {
  const { options } = grammar;
  const flagsOf = (command: string): string =>
    optionsOf(grammar, command).flatMap(spellings).join(" ");
  const names = namesIn(grammar);
  const values = options.flatMap((option) =>
    option.value === undefined
      ? []
      : [`    ${spellings(option).join("|")}) ${reply(valuesOf(option))}; return ;;`],
  );
  const takesValue = options.filter(({ value }) => value !== undefined).flatMap(spellings);
  const commands = names.map(
    (name) =>
      `    ${name}) flags="${flagsOf(name)}"; next='${reply(offeredAfter(grammar, name))}' ;;`,
  );
  return `# dragoman completion for bash: eval "$(dragoman completion bash)"
_dragoman() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} command="" action="" rest=0 flags next i
  local IFS=$' \\t\\n'
  # Bash passes --name=value as three words.
  if [[ $cur == "=" ]]; then cur=""
  elif [[ $prev == "=" ]]; then prev=\${COMP_WORDS[COMP_CWORD-2]}
  fi
  # With an empty reply, bash completes file names itself.
  COMPREPLY=()
  case $prev in
${values.join("\n")}
  esac
  for ((i = 1; i < COMP_CWORD; i++)); do
    case \${COMP_WORDS[i]} in
      --) return ;;
      ${takesValue.join("|")})
        [[ \${COMP_WORDS[i+1]} == "=" ]] && ((i++))
        ((i++)) ;;
      -*) ;;
      *) if [[ -z $command ]]; then command=\${COMP_WORDS[i]}
         else action=\${action:-\${COMP_WORDS[i]}}; ((rest++)); fi ;;
    esac
  done
  case $command in
    "") flags="${flagsOf("prompt")}"; next='${reply(names)}' ;;
${commands.join("\n")}
    *) flags="${flagsOf("prompt")}"; next=: ;;
  esac
  if [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$cur"))
  elif ((rest == 0)); then
    eval "$next"
  elif ((rest == 1)) && [[ $command == sessions && $action =~ ^(${actionsWithSession(grammar).join("|")})$ ]]; then
    ${reply("sessions")}
  fi
}
complete -o default -F _dragoman dragoman
`;
}

function reply(candidates: Offered): string {
  if (candidates === undefined || candidates === "files") return ":";
  if (candidates === "folders")
    return `compopt -o filenames 2>/dev/null; IFS=$'\\n'; COMPREPLY=($(compgen -d -- "$cur"))`;
  // Dragoman knows the agent and the folder from the words, and prints the id before a tab.
  if (candidates === "sessions")
    return 'COMPREPLY=($(compgen -W "$(dragoman completion sessions -- "${COMP_WORDS[@]:1}" 2>/dev/null | cut -f1)" -- "$cur"))';
  return `COMPREPLY=($(compgen -W "${candidates.join(" ")}" -- "$cur"))`;
}

/** Works both with `eval` and as a file `_dragoman` in a folder of `$fpath`. */
function zshScript(grammar: Grammar): string {
  const specs = (command: string): string =>
    optionsOf(grammar, command)
      .map((option) => `      ${spec(option)} \\\n`)
      .join("");
  const cases = grammar.commands.map(({ name, sessionAfter }) => {
    const known = offeredAfter(grammar, name);
    const next = known !== undefined ? `      '1: :${action(known)}' \\\n` : "";
    const second = sessionAfter !== undefined ? `      '2: :_dragoman_second' \\\n` : "";
    return `    (${name})\n      _arguments -s \\\n${specs(name)}${next}${second}        && return ;;\n`;
  });
  const commands = grammar.commands.map(({ name, help }) => `    '${name}:${quoted(help)}'`);
  return `#compdef dragoman
# dragoman completion for zsh: eval "$(dragoman completion zsh)", after compinit
_dragoman_sessions() {
  local -a lines
  # In a description list, a colon separates the id from its title.
  lines=(\${(f)"$(dragoman completion sessions -- \${(Q)_dragoman_line} 2>/dev/null)"})
  lines=(\${\${lines//:/\\\\:}/$'\\t'/:})
  _describe session lines
}
_dragoman_second() {
  [[ \${words[2]} == (${actionsWithSession(grammar).join("|")}) ]] && _dragoman_sessions
}
_dragoman() {
  local -a _dragoman_line=(\${words[2,CURRENT-1]})
  local curcontext=$curcontext state line
  local -A opt_args
  local -a commands
  commands=(
${commands.join("\n")}
  )
  # Completes the options before the first word. That word decides which options may follow it.
  _arguments -s -C -A '-*' \\
${specs("prompt")}      '*:: :->words' && return
  [[ $state == words ]] || return 1
  if ((CURRENT == 1)); then
    _alternative 'commands:command:{_describe command commands}' 'files:file:_files'
    return
  fi
  case $words[1] in
${cases.join("")}    (*)
      _arguments -s \\
${specs("prompt")}      '*: :_files' && return ;;
  esac
  return 1
}
if [[ $funcstack[1] == _dragoman ]]; then
  _dragoman "$@"
elif (( $+functions[compdef] )); then
  compdef _dragoman dragoman
else
  print -u2 'dragoman completion: run "autoload -U compinit && compinit" first'
fi
`;
}

function spec(option: TakenOption): string {
  const { help, value, isRepeatable } = option;
  const argument = value === undefined ? "" : `:${value}:${action(valuesOf(option))}`;
  const about = `[${quoted(help).replace(/[[\]]/g, "")}]${argument}`;
  // `-a+` and `--agent=` accept their value in the same word or in the next.
  const forms = spellings(option).map((form) =>
    value === undefined ? form : form.startsWith("--") ? `${form}=` : `${form}+`,
  );
  if (forms.length === 1) return `'${isRepeatable ? "*" : ""}${forms.join()}${about}'`;
  const exclusion = isRepeatable ? "'*'" : `'(${spellings(option).join(" ")})'`;
  return `${exclusion}{${forms.join(",")}}'${about}'`;
}

function action(candidates: Offered): string {
  if (candidates === undefined) return " ";
  if (candidates === "files") return "_files";
  if (candidates === "sessions") return "_dragoman_sessions";
  return candidates === "folders" ? "_files -/" : `(${candidates.join(" ")})`;
}

function fishScript(grammar: Grammar): string {
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

type Offered = Exclude<Candidates, "agents" | "commands">;

function namesIn({ commands }: Grammar): readonly string[] {
  return commands.map(({ name }) => name);
}

function offeredAfter(grammar: Grammar, command: string): Offered {
  const entry = grammar.named(command);
  const next = entry && wordsAfter(entry);
  if (next === "agents") return AGENT_NAMES;
  return next === "commands" ? namesIn(grammar) : next;
}

/** The one command with actions that a session follows. */
function actionsWithSession({ commands }: Grammar): readonly string[] {
  return commands.flatMap(({ sessionAfter = [] }) => sessionAfter);
}

function optionsOf({ options }: Grammar, command: string): readonly TakenOption[] {
  return options.filter(({ on }) => on.includes(command));
}

function spellings({ name, short }: TakenOption): readonly string[] {
  return short === undefined ? [`--${name}`] : [`-${short}`, `--${name}`];
}

function valuesOf({ name, value, words }: TakenOption): Offered {
  if (words !== undefined) return words;
  if (name === "agent") return AGENT_NAMES;
  if (value === "FILE") return "files";
  if (name === "resume") return "sessions";
  return value === "DIR" ? "folders" : undefined;
}

/** Makes help text safe inside single quotes in a shell. */
function quoted(text: string): string {
  return text.replaceAll("'", "’");
}

const SCRIPTS: Readonly<Record<CompletionShell, (grammar: Grammar) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

export function completionScript(shell: CompletionShell, grammar: Grammar): string {
  return SCRIPTS[shell](grammar);
}
