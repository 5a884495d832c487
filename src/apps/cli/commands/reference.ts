import { EXIT_MEANINGS } from "../shell/exit.ts";
import { markdownTable } from "../render/text/table.ts";
import type { Grammar, TakenOption } from "../shell/parse.ts";
import { SETTING_KEYS } from "../settings/keys.ts";

/**
 * The parts of docs/cli.md that are made from tables in the sources, by the name of their place in the
 * page. `npm run docs` writes them, and a test checks that they are current.
 */
export function cliReference(
  grammar: Grammar,
): Readonly<Record<"commands" | "flags" | "settings", string>> {
  return {
    commands: commandsTable(grammar),
    flags: flagTables(grammar),
    settings: settingsTable(),
  };
}

function commandsTable({ commands }: Grammar): string {
  return markdownTable(
    ["Command", "Purpose"],
    commands.map(({ usage, help }) => [`\`dragoman ${usage}\``, help]),
  );
}

function flagTables({ commands, options }: Grammar): string {
  const groups = [...new Set(options.map(({ group }) => group))];
  return groups
    .flatMap((group) => [
      `### ${group} flags`,
      markdownTable(
        ["Flag", "Meaning", "With"],
        options
          .filter((option) => option.group === group)
          .map((option) => [
            flagText(option),
            option.help,
            option.on.length > commands.length ? "all commands" : commandsText(option.on),
          ]),
      ),
    ])
    .join("\n\n");
}

function flagText(option: TakenOption): string {
  const { name, short, value, isRepeatable } = option;
  const long = value === undefined ? `--${name}` : `--${name} ${value}`;
  const letter = short === undefined ? "" : `\`-${short}\`, `;
  return `${letter}\`${long}\`${isRepeatable ? " (repeatable)" : ""}`;
}

function commandsText(on: readonly string[]): string {
  return on.map((name) => (name === "prompt" ? "a prompt" : `\`${name}\``)).join(", ");
}

function settingsTable(): string {
  return markdownTable(
    ["Key", "Meaning", "Values", "Default", "Variable"],
    SETTING_KEYS.map(({ name, about, values, byDefault, variable }) => [
      `\`${name}\``,
      about,
      values,
      byDefault,
      variable === undefined ? "" : `\`${variable}\``,
    ]),
  );
}

/** The manual page in roff. `man/dragoman.1` holds the same text; a test keeps the two in step. */
export function manPage({ commands, options }: Grammar): string {
  const groups = [...new Set(options.map(({ group }) => group))];
  return `${[
    '.TH DRAGOMAN 1 "" "dragoman" "User Commands"',
    ".SH NAME",
    String.raw`dragoman \- talk to coding agents that speak the Agent Client Protocol`,
    ".SH SYNOPSIS",
    ".B dragoman",
    String.raw`[\fIoptions\fR] [\fB\-\-\fR] [\fIprompt\fR]`,
    ".br",
    ".B dragoman",
    String.raw`\fIcommand\fR [\fIoptions\fR]`,
    ".SH DESCRIPTION",
    "Starts an agent, sends it a prompt and shows what it does. The answer goes to standard output,",
    "everything else to standard error. Piped standard input is added to the prompt. @path and",
    "@https://... in the prompt become links that the agent can follow.",
    ".SH COMMANDS",
    ...commands.flatMap(({ usage, help }) => [".TP", String.raw`\fB${roff(usage)}\fR`, roff(help)]),
    ".SH OPTIONS",
    ...groups.flatMap((group) => [
      `.SS ${group}`,
      ...options
        .filter((option) => option.group === group)
        .flatMap(({ name, short, value, help }) => [
          ".TP",
          [
            ...(short === undefined ? [] : [String.raw`\fB\-${short}\fR,`]),
            String.raw`\fB${roff(`--${name}`)}\fR`,
            ...(value === undefined ? [] : [String.raw`\fI${roff(value)}\fR`]),
          ].join(" "),
          roff(help),
        ]),
    ]),
    ".SH EXIT STATUS",
    ...EXIT_MEANINGS.flatMap(([code, meaning]) => [".TP", String(code), roff(meaning)]),
    ".SH FILES",
    ".TP",
    ".I ~/.config/dragoman/settings.json",
    "your settings, agents and MCP servers (XDG_CONFIG_HOME); dragoman config shows and changes them",
    ".TP",
    ".I .dragoman/settings.json",
    "a project's agents and MCP servers; they do not start until you have trusted the file",
    ".TP",
    ".I ~/.local/state/dragoman",
    "last sessions, trusted projects, chat history, log of the hub (XDG_STATE_HOME)",
    ".TP",
    ".I ~/.local/share/dragoman/agents",
    "agents that dragoman agents install has installed (XDG_DATA_HOME)",
    ".TP",
    ".I $XDG_RUNTIME_DIR/dragoman",
    "the hub of warm agents; otherwise dragoman\\-UID in the folder for temporary files",
    ".SH ENVIRONMENT",
    ...SETTING_KEYS.flatMap(({ variable, about }) =>
      variable === undefined ? [] : [".TP", `.B ${variable}`, roff(about)],
    ),
    ".TP",
    ".B NO_COLOR, FORCE_COLOR",
    "turn color off or on",
    ".SH EXAMPLES",
    ".nf",
    roff('dragoman "what does this project do?"'),
    roff('git diff | dragoman -a claude "review this change"'),
    roff('dragoman -a gemini --write "add a test for @src/parse.ts"'),
    ".fi",
  ].join("\n")}\n`;
}

function roff(text: string): string {
  return text
    .replaceAll("\\", "\\e")
    .replaceAll("-", String.raw`\-`)
    .replace(/^([.'])/, String.raw`\&$1`);
}
