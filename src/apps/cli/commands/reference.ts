import { markdownTable } from "../render/text/table.ts";
import type { Grammar, TakenOption } from "../shell/parse.ts";
import { SETTING_KEYS } from "../settings/key-table.ts";

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
