import type { Grammar, TakenOption } from "../../shell/parse.ts";
import {
  actionsWithSession,
  type Offered,
  offeredAfter,
  optionsOf,
  quoted,
  spellings,
  valuesOf,
} from "./known.ts";

/** Works both with `eval` and as a file `_dragoman` in a folder of `$fpath`. */
export function zshScript(grammar: Grammar): string {
  const specs = (command: string): string =>
    optionsOf(grammar, command)
      .map((option) => `      ${spec(option)} \\\n`)
      .join("");
  const cases = grammar.commands.map(({ name, next: known, sessionAfter }) => {
    const next =
      known !== undefined ? `      '1: :${action(offeredAfter(grammar, name))}' \\\n` : "";
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
