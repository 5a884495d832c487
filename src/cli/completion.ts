import { CATALOGUE } from "./agents/catalogue.ts";
import { ALL_OPTIONS, COMMANDS, type CommandName } from "./args/options.ts";

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

const AGENTS = CATALOGUE.map(({ name }) => name);

/** What may stand after a command's own word. */
const WORDS: Partial<Record<CommandName, readonly string[]>> = {
  sessions: ["list", "show", "delete", "export"],
  doctor: AGENTS,
  completion: SHELLS,
  help: COMMANDS.map(({ name }) => name),
};

/** A completion script, made from the table of options. */
export function completionScript(shell: Shell): string {
  switch (shell) {
    case "bash":
      return bash();
    case "zsh":
      return zsh();
    case "fish":
      return fish();
  }
}

type Option = (typeof ALL_OPTIONS)[number];

function optionsOf(command: CommandName): readonly Option[] {
  return ALL_OPTIONS.filter(({ on }) => on.includes(command));
}

/** The words an option's value may be; undefined for free text, `files` for a path. */
function valuesOf({
  name,
  value,
  words,
}: Option): readonly string[] | "files" | "folders" | undefined {
  if (words !== undefined) return words;
  if (name === "agent") return AGENTS;
  if (value === "FILE") return "files";
  return value === "DIR" ? "folders" : undefined;
}

function flags(command: CommandName): string {
  return optionsOf(command)
    .flatMap(({ name, short }) =>
      short === undefined ? [`--${name}`] : [`-${short}`, `--${name}`],
    )
    .join(" ");
}

function bash(): string {
  const values = ALL_OPTIONS.flatMap((option) => {
    const known = valuesOf(option);
    if (known === undefined) return [];
    const pattern =
      option.short === undefined ? `--${option.name}` : `-${option.short}|--${option.name}`;
    if (known === "files")
      return [`    ${pattern}) COMPREPLY=($(compgen -f -- "$cur")); return ;;`];
    if (known === "folders")
      return [`    ${pattern}) COMPREPLY=($(compgen -d -- "$cur")); return ;;`];
    return [`    ${pattern}) COMPREPLY=($(compgen -W "${known.join(" ")}" -- "$cur")); return ;;`];
  });
  const commands = COMMANDS.map(
    ({ name }) =>
      `    ${name}) flags="${flags(name)}"; words="${(WORDS[name] ?? []).join(" ")}" ;;`,
  );
  return `# dragoman completion for bash: eval "$(dragoman completion bash)"
_dragoman() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} flags words i
  COMPREPLY=()
  case $prev in
${values.join("\n")}
  esac
  flags="${flags("prompt")}"
  words="${COMMANDS.map(({ name }) => name).join(" ")}"
  for ((i = 1; i < COMP_CWORD; i++)); do
    case \${COMP_WORDS[i]} in
${commands.map((line) => `  ${line}`).join("\n")}
    esac
  done
  if [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$cur"))
  else
    COMPREPLY=($(compgen -W "$words" -- "$cur") $(compgen -f -- "$cur"))
  fi
}
complete -o default -F _dragoman dragoman
`;
}

function zsh(): string {
  const specs = (command: CommandName): string =>
    optionsOf(command)
      .map((option) => `    ${zshSpec(option)} \\\n`)
      .join("");
  const cases = COMMANDS.map(({ name }) => {
    const words = WORDS[name];
    const rest = words === undefined ? "" : `    '*: :(${words.join(" ")})' \\\n`;
    return `  (${name})\n    _arguments -s \\\n${specs(name)}${rest}      && return ;;\n`;
  });
  const commands = COMMANDS.map(({ name, help }) => `    '${name}:${quoted(help)}'`);
  return `#compdef dragoman
# dragoman completion for zsh: eval "$(dragoman completion zsh)"
_dragoman() {
  local -a commands
  commands=(
${commands.join("\n")}
  )
  local word
  for word in \${words[2,CURRENT-1]}; do
    case $word in
${cases.join("")}    esac
  done
  _arguments -s \\
${specs("prompt")}    '1: :{_describe command commands; _files}' \\
    '*: :_files'
}
compdef _dragoman dragoman
`;
}

function zshSpec(option: Option): string {
  const { name, short, help, value, multiple } = option;
  const known = valuesOf(option);
  const action =
    known === undefined
      ? " "
      : known === "files"
        ? "_files"
        : known === "folders"
          ? "_files -/"
          : `(${known.join(" ")})`;
  const argument = value === undefined ? "" : `:${value}:${action}`;
  const about = `[${quoted(help).replace(/[[\]]/g, "")}]${argument}`;
  if (short === undefined) return `'${multiple === true ? "*" : ""}--${name}${about}'`;
  const exclusion = multiple === true ? "'*'" : `'(-${short} --${name})'`;
  return `${exclusion}{-${short},--${name}}'${about}'`;
}

function fish(): string {
  const seen = (names: readonly CommandName[]): string =>
    `__fish_seen_subcommand_from ${names.filter((name) => name !== "prompt").join(" ")}`;
  const names = COMMANDS.map(({ name }) => name);
  const options = ALL_OPTIONS.map((option) => {
    const { name, short, help, on, value } = option;
    const known = valuesOf(option);
    const others = names.filter((command) => !on.includes(command));
    const condition = on.includes("prompt")
      ? others.length === 0
        ? ""
        : ` -n 'not ${seen(others)}'`
      : ` -n '${seen(on)}'`;
    const argument =
      value === undefined
        ? ""
        : known === "files" || known === "folders"
          ? " -r -F"
          : known === undefined
            ? " -x"
            : ` -x -a '${known.join(" ")}'`;
    const letter = short === undefined ? "" : ` -s ${short}`;
    return `complete -c dragoman${condition}${letter} -l ${name}${argument} -d '${quoted(help)}'`;
  });
  const commands = COMMANDS.map(
    ({ name, help }) =>
      `complete -c dragoman -n 'not ${seen(names)}' -a ${name} -d '${quoted(help)}'`,
  );
  const words = COMMANDS.flatMap(({ name }) => {
    const known = WORDS[name];
    return known === undefined
      ? []
      : [`complete -c dragoman -f -n '${seen([name])}' -a '${known.join(" ")}'`];
  });
  return [
    "# dragoman completion for fish: dragoman completion fish | source",
    ...commands,
    ...words,
    ...options,
    "",
  ].join("\n");
}

/** Help text inside single quotes of a shell. */
function quoted(text: string): string {
  return text.replaceAll("'", "’");
}
