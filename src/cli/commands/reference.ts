import { markdownTable } from "../render/text/table.ts";
import { ALL_OPTIONS, COMMANDS, type CommandName } from "../shell/options/options.ts";
import { SETTING_KEYS } from "../settings/key-table.ts";

/**
 * The parts of docs/cli.md that are made from tables in the sources, by the name of their place in the
 * page. `npm run docs` writes them, and a test checks that they are current.
 */
export function cliReference(): Readonly<Record<"commands" | "flags" | "settings", string>> {
  return { commands: commandsTable(), flags: flagTables(), settings: settingsTable() };
}

function commandsTable(): string {
  return markdownTable(
    ["Command", "Purpose"],
    COMMANDS.map(({ usage, help }) => [`\`dragoman ${usage}\``, help]),
  );
}

function flagTables(): string {
  const groups = [...new Set(ALL_OPTIONS.map(({ group }) => group))];
  return groups
    .flatMap((group) => [
      `### ${group} flags`,
      markdownTable(
        ["Flag", "Meaning", "With"],
        ALL_OPTIONS.filter((option) => option.group === group).map((option) => [
          flagText(option),
          option.help,
          commandsText(option.on),
        ]),
      ),
    ])
    .join("\n\n");
}

function flagText(option: (typeof ALL_OPTIONS)[number]): string {
  const { name, short, value, multiple } = option;
  const long = value === undefined ? `--${name}` : `--${name} ${value}`;
  const letter = short === undefined ? "" : `\`-${short}\`, `;
  return `${letter}\`${long}\`${multiple === true ? " (repeatable)" : ""}`;
}

function commandsText(on: readonly CommandName[]): string {
  const every = ALL_OPTIONS.find(({ name }) => name === "help")?.on ?? [];
  if (on.length === every.length) return "all commands";
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
