import type { Grammar } from "../../shell/parse.ts";
import {
  actionsWithSession,
  namesIn,
  type Offered,
  offeredAfter,
  optionsOf,
  spellings,
  valuesOf,
} from "./known.ts";

/** Works in bash 3.2, the version that macOS ships, and newer. */
export function bashScript(grammar: Grammar): string {
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

/** The shell command that offers these candidates. */
function reply(candidates: Offered): string {
  if (candidates === undefined || candidates === "files") return ":";
  if (candidates === "folders")
    return `compopt -o filenames 2>/dev/null; IFS=$'\\n'; COMPREPLY=($(compgen -d -- "$cur"))`;
  // Dragoman knows the agent and the folder from the words, and prints the id before a tab.
  if (candidates === "sessions")
    return 'COMPREPLY=($(compgen -W "$(dragoman completion sessions -- "${COMP_WORDS[@]:1}" 2>/dev/null | cut -f1)" -- "$cur"))';
  return `COMPREPLY=($(compgen -W "${candidates.join(" ")}" -- "$cur"))`;
}
